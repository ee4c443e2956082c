// Banks and keys: what a bank holds and weighs, export and import, who may ask.

import { key } from "./api.js";
import { field, h, option, swap } from "./dom.js";
import { bytes, day, memories, moment, whole, worded } from "./format.js";
import { attempt, bar, dialog, figure, figures, fill, formDialog, heading, later, notice, section, toast } from "./parts.js";

export const show = (ctx) => [
  heading("Banks & keys", ctx.me.id ? `Your key may ${ctx.me.role}: ${ctx.me.banks.join(", ")}` : "This server asks for no key, and answers this machine alone.",
    key.get() && h("button", { onclick: () => { key.forget(); dispatchEvent(new Event("key")); } }, "Forget the key in this tab")),
  ctx.bank.name && h("section.stack", h("h2", ctx.bank.name), later(() => ctx.bank.read("stats"), (stats) => one(stats, ctx))),
  ctx.bank.name && section("Profile", later(() => ctx.bank.read("profile"), (found) => profile(found, ctx))),
  ctx.bank.name && section("Sources", later(() => ctx.bank.page("sources", { limit: 200 }), (found) => sources(found, ctx)),
    later(() => ctx.bank.read("curated"), (found) => leads(found, ctx))),
  section("All banks", banks(ctx)),
  section("Keys", ctx.keeper
    ? later(() => ctx.store.keys(), (all) => keys(all, ctx))
    : h("p.quiet", "They are for an admin of all banks.")),
];

// ---- one bank

const TIERS = {
  hot: "said or recalled lately; texts read lately are in memory", warm: "in the index, in memory once the bank is asked",
  cold: "texts in sealed blocks, in the file",
};

const one = (stats, ctx) => {
  const weights = Object.entries(stats.stored_bytes).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const total = weights.reduce((sum, [, n]) => sum + n, 0);
  return [
    figures(figure(whole(stats.episodes), "memories"), figure(whole(stats.sessions), "conversations"), figure(whole(stats.speakers.length), "speakers"),
      figure(whole(stats.superseded), "superseded"), figure(whole(stats.forgotten), "forgotten"), figure(bytes(total), "kept")),
    h("p.quiet", stats.first && `${day(stats.first)} – ${day(stats.last)}. `, stats.embedder ? `Embedder: ${stats.embedder}. ` : "No embedder: words are found, meaning is not. ", stats.uncalibrated),
    h("div.row",
      ctx.may("admin") && h("button", { onclick: () => attempt(() => ctx.bank.save("export", `${ctx.bank.name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.jsonl`)) }, "Export all"),
      h("button", { onclick: () => attempt(() => ctx.bank.save("export_concepts", "concepts.json")) }, "Export concepts"),
      ctx.may("write") && h("button", { onclick: () => take(ctx) }, "Import a file…"),
      ctx.may("admin") && h("button.danger", { onclick: () => erase(ctx) }, "Erase this bank…")),
    stats.tiers.length > 0 && h("div.tiers", stats.tiers.map((tier) => h("div", { class: `tier ${tier.name}` },
      h("h3", tier.name), bar(tier.memories / Math.max(1, stats.episodes), `${tier.memories} of ${stats.episodes}`),
      h("p.num", `${memories(tier.memories)}${tier.nbytes > 0 ? `, ${bytes(tier.nbytes)}` : ""}`), h("p.quiet", TIERS[tier.name])))),
    h("details", h("summary", "Where the bytes are"), h("table.data", h("tbody", weights.map(([name, n]) => h("tr",
      h("th", { scope: "row" }, worded(name)), h("td.num", bar(n / total, `${Math.round((n / total) * 100)} %`), bytes(n))))))),
  ];
};

const take = (ctx) => {
  const meter = h("progress", { max: 1, value: 0, "aria-label": "How much is imported", hidden: true });
  return formDialog("Import a file", [
    field("A note, a chat export, a mailbox, lines of JSON", "input", { type: "file", name: "file", required: true }), meter,
  ], "Import", async ({ file }) => {
    meter.hidden = false;
    const done = await ctx.bank.take(file, (so_far, total) => { meter.max = total || so_far + 1; meter.value = so_far; });
    toast(`${memories(done.added)} added, ${whole(done.unchanged)} were known${done.removed ? `, ${whole(done.removed)} hidden` : ""}.`);
    ctx.refresh();
  });
};

const erase = (ctx) => formDialog(`Erase ${ctx.bank.name} for good?`, [
  h("p", "All its memories, their history and their vectors are removed from the store and cannot be brought back. Export it first if in doubt."),
  field("Write the bank’s name to say that you mean it", "input", { name: "name", required: true, autocomplete: "off" }),
], "Erase the bank", async ({ name }) => {
  if (name !== ctx.bank.name) throw new Error(`That is not its name, ${ctx.bank.name}.`);
  await ctx.bank.erase();
  toast("Erased.");
  location.hash = "#/";
  await ctx.boot();
}, { danger: true });

// ---- its profile

const profile = (found, ctx) => [
  h("p.quiet", "Every prompt of this bank begins with it."),
  h("dl.details",
    h("dt", "Who the agent is"), h("dd", lines(found.persona || "Nothing was said.")),
    h("dt", found.projects_made ? "Spoken of lately" : "Under way"), h("dd", lines(found.projects || "Nothing was said, or found yet."))),
  ctx.may("admin") && h("div.row", h("button", { onclick: () => describe(found, ctx) }, "Edit the profile…")),
];

const lines = (text) => text.split("\n").map((line) => h("p", line));

const describe = (found, ctx) => formDialog("The profile of this bank", [
  field("Who the agent is, and how it should be", "textarea", { name: "persona", rows: 5 }, found.persona),
  field("What is under way, a line for each; empty for what is spoken of lately", "textarea", { name: "projects", rows: 5 }, found.projects_made ? "" : found.projects),
], "Save", async ({ persona, projects }) => {
  await ctx.bank.ask("set_profile", { persona: persona.trim(), projects: projects.trim() });
  toast("In every prompt from now on.");
  ctx.refresh();
});

// ---- its sources

const sources = (found, ctx) => {
  if (!found.entries.length) return h("p.quiet", "Nothing here is from a file or a system that was named.");
  const rows = h("tbody");
  const more = h("div.row");
  const add = (page) => {
    rows.append(...page.entries.map((one_) => source(one_, ctx)));
    swap(more, page.next && h("button", { onclick: async () => { const next = await attempt(() => ctx.bank.page("sources", { limit: 200, cursor: page.next })); if (next) add(next); } }, "More"));
  };
  add(found);
  return [h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Sources" }, h("table.data",
    h("thead", h("tr", ["Source", "Format", "Memories", "Forgotten", "From when", ""].map((name) => h("th", { scope: "col" }, name)))), rows)), more];
};

const source = (one_, ctx) => {
  const change = async (verb, told, undo) => {
    const done = await attempt(() => ctx.bank.ask(verb, { source: one_.name }));
    if (done === undefined) return;
    toast(`${memories(done)} ${told}.`, undo);
    ctx.refresh();
  };
  const forget = () => change("forget", "forgotten", restore);
  const restore = () => change("restore", "restored");
  const when = [...new Set([one_.first, one_.last].filter(Boolean).map(day))].join(" – ");
  return h("tr",
    h("th", { scope: "row" }, one_.name, one_.place && [h("br"), h("small.quiet", one_.place)]),
    h("td", one_.format ?? "", one_.synced && h("small.quiet", " synced")),
    h("td.num", whole(one_.episodes)), h("td.num", one_.forgotten ? whole(one_.forgotten) : ""), h("td", when),
    h("td", ctx.may("write") && h("div.row",
      one_.episodes > 0 && h("button", { "aria-label": `Forget all from ${one_.name}`, onclick: forget }, "Forget"),
      one_.forgotten > 0 && h("button", { "aria-label": `Restore what is forgotten of ${one_.name}`, onclick: restore }, "Restore"))));
};

const leads = ({ sources: only }, ctx) => h("p.row",
  h("span.quiet", only ? `Anchors lead to memories from ${only.join(", ")}, and from nowhere else.` : "Anchors lead to memories from every source."),
  ctx.may("admin") && h("button", { onclick: () => choose(only ?? [], ctx) }, "Choose sources…"));

const choose = (only, ctx) => formDialog("Sources that anchors may lead to", [
  field("A source on each line; none for all", "textarea", { name: "sources", rows: 6 }, only.join("\n")),
], "Choose", async ({ sources: lines }) => {
  await ctx.bank.ask("curate", { sources: lines.split("\n").map((line) => line.trim()).filter(Boolean) });
  toast("Heeded from now on.");
  ctx.refresh();
});

// ---- all banks

const banks = (ctx) => {
  const list = h("div");
  const look = (prefix, cursor) => ctx.store.banks({ prefix, cursor, limit: 100 });
  const draw = (prefix) => (found) => {
    if (!found.entries.length) return prefix ? h("p.quiet", "None begins so.") : notice("No bank yet", "One comes to be when the first thing is remembered in it.");
    const all = h("ul.columns");
    const more = h("div.row");
    const add = (page) => {
      page.entries.forEach((name) => all.append(h("li", h("a.item", { href: `#/${encodeURIComponent(name)}/timeline` }, name))));
      swap(more, page.next && h("button", { onclick: async () => { const next = await attempt(() => look(prefix, page.next)); if (next) add(next); } }, "More"));
    };
    add(found);
    return [all, more];
  };
  const find = (prefix) => fill(list, () => look(prefix), draw(prefix));
  find("");
  return h("div.stack", h("div.pair", field("Whose name begins with", "input", {
    type: "search", autocomplete: "off", oninput: (event) => find(event.target.value),
  })), list);
};

// ---- keys

const keys = (all, ctx) => [
  all.length === 0
    ? h("p.hint", "There are none: whoever is on this machine may do everything, and nobody else anything. From the first key on the server answers nobody without one, this page included.")
    : h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Keys" }, h("table.data",
      h("thead", h("tr", ["For whom", "May", "Banks", "Made", ""].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", all.map((one_) => h("tr",
        h("th", { scope: "row" }, one_.name, h("br"), h("code.quiet", one_.id)), h("td", one_.role), h("td", one_.banks.join(", ")),
        h("td.num", day(one_.made_at), one_.former_until && h("small.quiet", ` former secret until ${moment(one_.former_until)}`)),
        h("td", h("div.row",
          h("button", { "aria-label": `Rotate the key of ${one_.name}`, onclick: () => rotate(one_, ctx) }, "Rotate…"),
          h("button.danger", { "aria-label": `Revoke the key of ${one_.name}`, onclick: () => revoke(one_, ctx) }, "Revoke…")))))))),
  h("div", h("button", { onclick: () => create(all.length === 0, ctx) }, "Make a key…")),
];

const create = (first, ctx) => formDialog("Make a key", [
  field("For whom", "input", { name: "name", required: true, maxlength: 100 }),
  field("It may", "select", { name: "role" }, option("read", "read", false), option("write", "read and write", !first), option("admin", "do everything", first)),
  field("Banks, with commas; a name that ends in * means all that begin so", "input", { name: "banks", required: true, value: first ? "*" : "" }),
  first && h("p.hint", "It is the first: unless it may do everything to all banks (*), nobody can make another one from here."),
], "Make it", async ({ name, role, banks: given }) => {
  const made = await ctx.store.createKey({ name, role, banks: given.split(",").map((one_) => one_.trim()).filter(Boolean) });
  shown(made, ctx, first);
});

const rotate = (one_, ctx) => formDialog(`Give ${one_.name} another secret?`, [
  field("For how many hours is the former still taken", "input", { type: "number", name: "hours", min: 0, max: 8760, value: 24 }),
], "Rotate", async ({ hours }) => shown(await ctx.store.rotateKey(one_.id, { keep_s: Number(hours || 0) * 3600 }), ctx, false));

const revoke = (one_, ctx) => formDialog(`Take back the key of ${one_.name}?`,
  h("p", "Within a second no server of this store takes it any more."),
  "Revoke", async () => { await ctx.store.revokeKey(one_.id); toast("Revoked."); ctx.refresh(); }, { danger: true });

// A token is shown this once; the store keeps only a hash of it.
const shown = (made, ctx, first) => {
  const node = dialog(`The key of ${made.key.name}`,
    h("div.stack", h("p", "It is shown this once. Send it as “Authorization: Bearer …”."), h("code.token", made.token),
      h("div.row",
        h("button.primary", { onclick: () => attempt(async () => { await navigator.clipboard.writeText(made.token); toast("Copied."); }) }, "Copy"),
        first && h("button", { onclick: () => { key.set(made.token); node.close(); dispatchEvent(new Event("key")); } }, "Use it in this tab"))));
  if (!first) ctx.refresh();
};
