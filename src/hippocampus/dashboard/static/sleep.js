// What sleep did and would do: what was kept, merged, faded, and why; undo; how a memory fades.

import { field, h, option, swap } from "./dom.js";
import { LEVELS, counted, day, memories, moment, percent, whole, worded } from "./format.js";
import { actsOf } from "./journal.js";
import { told } from "./memory.js";
import { attempt, bar, entry, faulted, figure, figures, fill, formDialog, heading, later, section, some, toast } from "./parts.js";
import { numbers, plot } from "./plot.js";
import { timeTicks } from "./trends.js";

const DID = {
  merge: "merged", fade: "faded", lapse: "lapsed", doubt: "set apart", clear: "let go", annotate: "noted",
};
const DAY = 864e5;

export const show = (ctx) => {
  const doing = h("div.slot");
  return [
    heading("Sleep", "While a bank rests, what says the same becomes one, what nobody needs fades, and what there is to know of it all is made anew.",
      ctx.may("write") && h("button", { onclick: (event) => run(ctx, doing, true, event.target) }, "What would it do?"),
      ctx.may("write") && h("button.primary", { onclick: (event) => run(ctx, doing, false, event.target) }, "Sleep now")),
    doing,
    section("Nights", later(() => ctx.bank.read("sleeps"), (all) => nights(all, ctx))),
    section("Forgetting curve", later(() => forgetting(ctx), (found) => curve(found, ctx))),
    h("section.section", h("h2", "What it all came to"),
      later(() => Promise.all([ctx.bank.read("summary"), ctx.bank.read("gists")]), (found) => cameTo(...found, ctx))),
    section("Quarantine", later(() => ctx.bank.read("quarantine"), (found) => quarantine(found, ctx))),
  ];
};

// ---- a sleep, tried or done

const run = async (ctx, slot, dry, button) => {
  button.disabled = true;
  const meter = h("progress", { max: 1, value: 0, "aria-label": "How far the sleep is" });
  swap(slot, h("p.quiet", dry ? "Looking at what it would do …" : "Sleeping …"), meter);
  try {
    const [slept, stats] = await Promise.all([
      ctx.bank.told("sleep", { dry_run: dry }, (done, total) => { meter.max = total || 1; meter.value = done; }),
      ctx.bank.read("stats"),
    ]);
    if (!dry) {
      toast(`Slept: sleep ${slept.number} is done.`);
      ctx.refresh();
      return;
    }
    const acts = slept.steps.flatMap((step) => step.acts);
    swap(slot, h("section.notice-card", h("h2", "What it would do"),
      outcome(count(acts.map((one) => one.kind)), stats.episodes),
      actList(acts, ctx),
      slept.notes.map((note) => h("p.quiet", note))));
  } catch (error) {
    if (error.name !== "AbortError") swap(slot, faulted(error, () => run(ctx, slot, dry, button)));
  } finally {
    button.disabled = false;
  }
};

const count = (all) => {
  const counts = {};
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
};

// Kept, merged, faded … as parts of one strip, and in words.
const outcome = (counts, episodes) => {
  const changed = Object.entries(counts).filter(([act]) => act in DID);
  const gone = changed.filter(([act]) => act !== "annotate" && act !== "clear").reduce((sum, [, n]) => sum + n, 0);
  const kept = Math.max(0, episodes - gone);
  return h("div.stack",
    h("div.outcome", { "aria-hidden": "true" }, h("span.kept", { style: { "flex-grow": kept } }),
      changed.map(([, n], at) => h("span", { style: { "flex-grow": n, opacity: Math.max(0.35, 1 - at * 0.22) } }))),
    figures(figure(whole(kept), "kept as they are"), changed.map(([act, n]) => figure(whole(n), DID[act]))));
};

const actList = (acts, ctx) => {
  if (!acts.length) return h("p.quiet", "No memory is changed by it.");
  return some(acts, (one) => act(one, ctx), { list: h("ul.acts") });
};

const act = (one, ctx) => {
  const said = h("a.said.item", { href: ctx.open(one.episode), "aria-busy": "true" }, "…");
  ctx.bank.read("get", { id: one.episode }).then((e) => swap(said, e.text), () => swap(said, one.episode))
    .finally(() => said.removeAttribute("aria-busy"));
  return h("li", h("span.verb", DID[one.kind], one.level ? ` to ${LEVELS[one.level]}` : ""), said,
    h("small", one.why, one.by && [" — ", h("a", { href: ctx.open(one.by) }, one.kind === "merge" ? "what stands for it" : "what says so")]));
};

// ---- the sleeps there were

const nights = (all, ctx) => (all.length === 0
  ? h("p.quiet", "This bank has not slept yet.")
  : some([...all].reverse(), (night) => nightOf(night, night === all.at(-1), ctx), { list: h("div"), most: 7 }));

const nightOf = (night, latest, ctx) => {
  const slot = h("div.slot");
  const counts = Object.fromEntries(night.steps.map((step) => [step.name, step.counts]));
  const words = Object.entries(counts).flatMap(([step, of]) => Object.entries(of).filter(([, n]) => n > 0)
    .map(([what, n]) => [step, what, n]));
  const acted = words.filter(([step]) => ["validate", "reconsolidate", "deduplicate", "forget"].includes(step));
  return h("article.night",
    h("div.night-head", h("h3", { style: { margin: "0" } }, `Sleep ${night.number}`), h("time", { datetime: night.at }, moment(night.at)),
      h("span.grow"),
      ctx.may("admin") && h("button", { onclick: () => undo(night, ctx) }, "Undo…")),
    h("p.quiet.num", acted.length ? acted.map(([, what, n]) => `${whole(n)} ${worded(what).replace(/level (\d)/, (_, level) => LEVELS[level])}`).join(", ") : "No memory was changed.",
      night.notes.map((note) => ` ${note}`)),
    h("details", { ontoggle: (event) => { if (event.target.open && !slot.firstChild) fill(slot, () => Promise.all([actsOf(night, ctx.bank), ctx.bank.read("stats")]), ([acts, stats]) => {
      const counts_ = count(acts.map((one) => one.kind));  // what was kept is known of the last one alone
      return [latest && outcome(counts_, stats.episodes + (counts_.merge ?? 0) + (counts_.lapse ?? 0)), actList(acts, ctx)];
    }); } },
      h("summary", "What it did, and why"),
      words.length > 0 && h("p.quiet.num", words.map(([step, what, n]) => `${step}: ${whole(n)} ${worded(what)}`).join(" · ")), slot));
};

const undo = (night, ctx) => formDialog(`Undo sleep ${night.number}?`,
  h("p", "What it merged, faded, hid or set apart is as it was before. What somebody has changed since stays as they made it."),
  "Undo it", async () => {
    const undone = Object.entries(await ctx.bank.ask("undo", { sleep: night.number }));
    toast(undone.length ? `Undone: ${undone.map(([what, n]) => `${whole(n)} ${DID[what] ?? what}`).join(", ")}.` : "There was nothing left to undo.");
    ctx.refresh();
  });

// ---- how a memory fades

const forgetting = async (ctx) => {
  const id = ctx.params.curve;
  const [policy, episode, history, used] = await Promise.all([
    ctx.bank.read("policy"), ...(id ? ["get", "history", "uses"].map((verb) => ctx.bank.read(verb, { id })) : []),
  ]);
  return { policy, episode, history, used };
};

const curve = ({ policy, episode: e, history, used }, ctx) => {
  const rate = (policy.decay_per_hour * 24) / DAY;  // per millisecond
  const half = Math.log(2) / (policy.decay_per_hour * 24);
  const now = Date.now();
  const began = e ? Date.parse(e.occurred_at) : 0;
  const uses = e ? [began, ...used.map((at) => Date.parse(at)).filter((at) => at > began)] : [0];
  const end = e ? Math.max(now, began) + Math.max(30 * DAY, Math.abs(now - began) * 0.15) : 180 * DAY;
  const left = (at) => Math.exp(-rate * (at - Math.max(...uses.filter((use) => use <= at))));
  const steps = 240;
  const points = [...Array.from({ length: steps + 1 }, (_, i) => began + ((end - began) * i) / steps), ...uses.slice(1).flatMap((use) => [use - 1, use])]
    .sort((a, b) => a - b).map((at) => ({ x: at, y: left(at) }));
  const marks = e ? [
    { x: now, label: "now", rule: true },
    ...history.filter((c) => c.episode === e.id && ["fade", "pin", "lapse", "merge", "feedback"].includes(c.kind)).slice(-6)
      .map((c) => ({ x: Date.parse(c.at), y: left(Date.parse(c.at)), label: told(c).split(" · ")[0] })),
  ] : [{ x: half * DAY, y: 0.5, label: `half after ${Math.round(half)} days` }];
  const name = (at) => (e ? day(at) : `day ${Math.round(at / DAY)}`);
  const warm = [{ from: began, to: began + policy.warm_days * DAY, label: "warm" }];
  const ticks = e ? timeTicks(Array.from({ length: 200 }, (_, i) => new Date(began + ((end - began) * i) / 199).toISOString()))
    : [0, 30, 60, 90, 120, 150, 180].map((n) => [n * DAY, String(n)]);
  return [
    chooser(ctx),
    e && h("ul", entry(e, ctx)),
    plot({
      points, kind: "line", top: 1, height: 240, bands: warm, marks, xTicks: ticks, xLabel: e ? null : "days since it was said, recalled or helped",
      title: h("span.quiet", "Share of a memory’s importance that is left"), yText: percent,
      label: `How importance decays: half of it in ${Math.round(half)} days; arrow keys read the values`,
      read: (p) => `${name(p.x)}: ${percent(p.y)} left`, hint: `Half of it goes in ${Math.round(half)} days; each use begins anew${e ? `, and it was of use ${counted(used.length, "time")}` : ""}.`,
    }),
    h("div.row", h("p.quiet", e?.pinned ? "It is pinned: it never fades, whatever is left. " : null, says(policy)), policyForm(policy, ctx)),
    numbers(["", "left"], points.filter((_, at) => at % 24 === 0).map((p) => [name(p.x), percent(p.y)])),
  ];
};

const chooser = (ctx) => {
  const found = h("ul");
  const input = field("Of which memory? Words that are in it", "input", { name: "words", required: true });
  return h("form.stack", {
    onsubmit: (event) => {
      event.preventDefault();
      const words = new FormData(event.target).get("words").trim().split(/\s+/u);
      fill(found, () => ctx.bank.ask("find", { terms: words, limit: 6, newest: true }), (all) => (all.length
        ? all.map((e) => h("li.entry", h("a.said.small.item", { href: ctx.link(null, { curve: e.id }) }, e.text)))
        : h("li.quiet", "In no memory are all these words.")));
    },
  }, h("div.pair.end-line", input, h("div.row", h("button", "Choose"),
    ctx.params.curve && h("a", { href: ctx.link(null, { curve: null }) }, "Of any memory"))), found);
};

const says = (policy) => {
  const merges = { exact: "the same words become one", near: "what means the same becomes one", cluster: "all of one matter becomes one", off: "nothing is merged" }[policy.merge];
  const fades = policy.deepest === 0 ? "nothing fades"
    : policy.token_target !== null ? `the least valuable fade until the rest fits ${whole(policy.token_target)} tokens`
      : `memories fade as far as ${LEVELS[Math.min(policy.deepest, 4)]}${policy.deepest > 4 ? ", then lapse" : ""}`;
  const target = policy.episode_target === null ? "" : `; at most ${memories(policy.episode_target)} are kept`;
  return `By this bank’s policy ${merges}, and ${fades}${target}.`;
};

const policyForm = (policy, ctx) => ctx.may("admin") && h("div", h("button", {
  onclick: () => formDialog("Choose what sleep does", [
    field("Policy", "select", { name: "name" }, Object.entries({
      keep: "keep: merge the same words, fade nothing", dedup: "dedup: merge what means the same", human: "human: fade by age and worth",
      hema: "hema: the least salient lapse", adaptive: "adaptive: fade to fit a number of tokens", useful: "useful: keep a number of memories, the likeliest to be of use", proven: "proven: keep a number of memories, those of use so far first",
      aggressive: "aggressive: merge all of one matter, fade to keywords",
    }).map(([value, label]) => option(value, label, false))),
    field("Tokens or memories to keep (adaptive, useful, proven)", "input", { name: "target", type: "number", min: 0 }),
  ], "Use it", async ({ name, target }) => {
    await ctx.bank.ask("set_policy", { policy: target && ["adaptive", "useful", "proven"].includes(name) ? `${name}:${target}` : name });
    toast("The next sleep does so.");
    ctx.refresh();
  }),
}, "Change the policy…"));

// ---- what came of it

const cameTo = (summary, gists, ctx) => [
  summary.text ? h("blockquote.whole", summary.text) : h("p.quiet", "Nothing was said yet."),
  gists.length > 0 && h("h3", counted(gists.length, "gist")),
  some(gists, (gist) => h("article.gist", h("p", gist.text),
    h("p.byline.num", h("span", bar(gist.activation, `${percent(gist.activation)} mature`), gist.silent ? `${percent(gist.activation)} mature, still silent` : `${percent(gist.activation)} mature`),
      h("span", `of ${memories(gist.sources.length)}, ${day(gist.made_at)}`),
      h("a", { href: ctx.link(null, { m: gist.sources[0] }) }, "the first of them"))), { list: h("div") }),
];

const quarantine = (found, ctx) => (found.length === 0
  ? h("p.quiet", "Nothing is kept apart: no memory came twice, late, or before its cause.")
  : some(found, ([e, why]) => entry(e, ctx, {
    after: h("p.row", h("span.quiet", why), ctx.may("admin") && h("button", {
      onclick: async () => { if (await attempt(() => ctx.bank.ask("release", { id: e.id })) !== undefined) ctx.refresh(); },
    }, "Release")),
  })));
