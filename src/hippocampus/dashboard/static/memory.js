// One memory: its words, where it comes from, what became of it, and what can be done with it.

import { field, h, icon, newId } from "./dom.js";
import { LEVELS, moment, percent, worded } from "./format.js";
import { attempt, away, byline, fill, formDialog, later, toast } from "./parts.js";

let open = null;
let shownId = null;

export const closeMemory = () => open?.close();

export const showMemory = (id, ctx) => {
  if (open && shownId === id) return;  // what is around it was drawn anew
  if (open) away(open);
  const named = newId("memory");
  const body = h("div.stack");
  const node = h("dialog.drawer", {
    "aria-labelledby": named, onclose: () => {
      away(node);
      if (open === node) { open = null; ctx.go(null, { m: null }); }
      // Where one came from may have been drawn anew meanwhile.
      if (document.activeElement === document.body) document.querySelector(`main .item[href$="m=${id}"]`)?.focus();
    },
  },
  h("header.dialog-top", h("h2", { id: named }, "Memory"),
    h("button.icon-button", { "aria-label": "Close", onclick: () => node.close() }, icon("close"))),
  body);
  node.addEventListener("click", (event) => event.target === node && node.close());
  document.body.append(node);
  open = node;
  shownId = id;
  node.showModal();
  const draw = async () => {
    const { key } = document.activeElement.dataset;
    await fill(body, () => ctx.bank.read("get", { id }), (e) => content(e, ctx, draw));
    if (!node.contains(document.activeElement)) (body.querySelector(`[data-key="${key}"]`) ?? node.querySelector("button")).focus();
  };
  draw();
};

const content = (e, ctx, draw) => {
  const changed = async (verb, given, told, undo) => {
    if (await attempt(() => ctx.bank.ask(verb, { id: e.id, ...given })) === undefined) return;
    toast(told, undo);
    ctx.refresh();
    draw();
  };
  const actions = [];
  if (ctx.may("write") && e.state === "active") {
    actions.push(
      h("button.primary", { "data-key": "e", onclick: () => correct(e, ctx) }, "Correct…"),
      e.pinned
        ? h("button", { "data-key": "p", onclick: () => changed("unpin", {}, "It may fade again.") }, "Unpin")
        : h("button", { "data-key": "p", onclick: () => changed("pin", {}, "Pinned: it never fades.") }, "Pin"),
      h("button", { onclick: () => changed("feedback", { helpful: true }, "Noted: it helped.") }, "It helped"),
      h("button", { onclick: () => changed("feedback", { helpful: false }, "Noted: it did not help.") }, "It did not"),
      h("button", { "data-key": "x", onclick: () => changed("forget", {}, `Forgotten: “${shortened(e.text)}”`, () => changed("restore", {}, "Restored.")) }, "Forget"));
  }
  if (ctx.may("write") && e.state === "forgotten") {
    actions.push(h("button.primary", { onclick: () => changed("restore", {}, "Restored.") }, "Restore"));
  }
  if (ctx.may("write") && e.state !== "erased") {
    actions.push(h("button.danger", { onclick: () => erase(e, ctx) }, "Erase…"));
  }
  return [
    h("blockquote.whole", { dir: "auto" }, e.text),
    byline(e),
    e.level > 0 && h("p.hint", `It has faded: searches show ${LEVELS[e.level]} of it. This is all of it.`),
    e.state === "superseded" && h("p.hint", "Another stands in its place. ",
      e.superseded_by && h("a", { href: ctx.open(e.superseded_by) }, "Show that one")),
    e.supersedes && h("p.hint", "It corrects an earlier one. ",
      h("a", { href: ctx.open(e.supersedes) }, "Show that one")),
    e.held && h("p.hint", "It is held: nothing may change it until an admin releases it."),
    !ctx.may("write") && h("p.hint", "This key may only read."),
    actions.length > 0 && h("div.row", actions),
    h("p", h("a", { href: ctx.link("sleep", { curve: e.id }) }, "Forgetting curve")),
    details(e, ctx),
    h("h3", "What became of it"),
    later(() => ctx.bank.read("history", { id: e.id }), (all) => changes(all, e, ctx)),
    h("h3", "Beside it"),
    later(() => ctx.bank.read("related", { id: e.id }), (found) => beside(found, ctx)),
  ];
};

const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

const details = (e, ctx) => {
  const rows = {
    Said: moment(e.occurred_at), Noted: moment(e.recorded_at), Speaker: e.speaker, Role: e.role,
    Conversation: e.session && h("a", { href: ctx.link("timeline", { session: e.session }) }, e.session),
    Turn: e.turn === null ? null : `${e.turn}${e.parts > 1 ? `, part ${e.part + 1} of ${e.parts}` : ""}`,
    Source: e.source, Address: e.address, Id: h("code", e.id),
    ...Object.fromEntries(Object.entries(e.metadata).map(([k, v]) => [k, typeof v === "string" ? v : JSON.stringify(v)])),
  };
  return h("dl.details", Object.entries(rows).filter(([, value]) => value)
    .map(([name, value]) => [h("dt", name), h("dd", value)]));
};

const WHAT = {
  remember: "remembered", correct: "corrected", forget: "forgotten", restore: "restored", pin: "pinned", unpin: "unpinned",
  hold: "held", release: "released", merge: "another stands for it", absorb: "stands for another as well", fade: "faded",
  lapse: "lapsed", doubt: "put in quarantine", clear: "let out of quarantine", annotate: "something was said of it",
  feedback: "judged", erase: "erased", withdraw: "hidden: its source changed",
  source: "its source was read", claim: "found in another source as well", unclaim: "gone from another source",
};

export const told = (change) => {
  const { why, level, helpful, sleep, undoes } = change.detail;
  const parts = [WHAT[change.kind] ?? worded(change.kind)];
  if (level !== undefined) parts[0] += ` to ${LEVELS[level] ?? level}`;
  if (helpful !== undefined) parts[0] += helpful ? ": it helped" : ": it did not help";
  if (why) parts.push(why);
  if (sleep) parts.push(`sleep ${sleep}`);
  if (undoes) parts.push(`undoes sleep ${undoes}`);
  return parts.join(" · ");
};

// Its own changes, and those of what was merged with it or says it in other words.
const changes = (all, e, ctx) => h("ol.changes", all.map((change) =>
  h("li", h("time", { datetime: change.at }, moment(change.at)), h("span", told(change),
    change.episode === e.id && (e.supersedes || e.superseded_by) && " · this wording",
    change.episode !== e.id && [" · ", h("a", { href: ctx.open(change.episode) }, whose(e)[change.episode] ?? "another memory")]))));

const whose = (e) => ({ [e.supersedes]: "the earlier wording", [e.superseded_by]: "the later wording" });

const HOW = {
  canonical: "stands for it", alias: "says the same", related: "is near", corrected: "says otherwise", elaborated: "says more",
};

const beside = (found, ctx) => (found.length === 0
  ? h("p.quiet", "Nothing is known beside it; sleep looks for what says the same or is near.")
  : h("ul.plain", found.slice(0, 12).map(({ episode, how, cosine }) => h("li.entry",
    h("div.entry-body",
      h("a.said.small", { href: ctx.open(episode.id), dir: "auto" }, episode.text),
      h("p.byline", h("span.who", HOW[how]), cosine > 0 && h("span", `${percent(cosine)} alike`), h("time", moment(episode.occurred_at))))))));

const correct = (e, ctx) => formDialog("Correct a memory", [
  field("What is so", "textarea", { name: "text", rows: 6, required: true, value: e.text }),
  h("p.quiet", "The earlier wording stays in the history; searches show the new one."),
], "Correct", async ({ text }) => {
  const made = await ctx.bank.ask("correct", { id: e.id, text });
  toast("Corrected.");
  ctx.refresh();
  ctx.go(null, { m: made.id });
});

const erase = (e, ctx) => formDialog("Erase this memory for good?",
  h("p", "Its words, vectors and index entries are removed from the store and cannot be brought back. To only hide it, forget it."),
  "Erase for good", async () => {
    await ctx.bank.ask("forget", { id: e.id, erase: true });
    toast("Erased.");
    closeMemory();
    ctx.refresh();
  }, { danger: true });
