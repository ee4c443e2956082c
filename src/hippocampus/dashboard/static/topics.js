// What this bank speaks of: tags from broad to narrow, to be walked through.

import { h, swap } from "./dom.js";
import { counted, memories, percent, whole, worded } from "./format.js";
import { bar, entry, heading, later, notice, section } from "./parts.js";
import { walk } from "./walk.js";

export const show = (ctx) => [
  heading("Topics", "Made while the bank sleeps, from broad to narrow."),
  later(() => ctx.bank.read("topics"), (topics) => {
    const by = new Map(topics.map((topic) => [topic.name, topic]));
    if (!topics.length) return none(ctx);
    return by.has(ctx.params.topic) ? one(by.get(ctx.params.topic), by, ctx) : all(topics, by, ctx);
  }),
];

const none = (ctx) => notice("No topics yet", "Sleep makes them of what the bank was told.",
  h("a", { href: ctx.link("sleep") }, "Go to sleep"));

const to = (name, by, ctx) => ({ label: worded(name), count: whole(by.get(name)?.episodes ?? 0), href: ctx.link("topics", { topic: name }) });
const often = (by) => (a, b) => (by.get(b)?.episodes ?? 0) - (by.get(a)?.episodes ?? 0);

// What the bank is about as a whole: topics that are said together.
const themes = (ctx) => later(() => ctx.bank.read("communities"), (found) => found.length > 0 && h("section.section",
  h("h2", "Themes"), h("p.quiet", "Topics that are said together, and what is said of them."),
  h("ol.themes", found.slice(0, 12).map((one) => h("li",
    h("h3", one.name, h("span.num", ` ${memories(one.episodes)}`)),
    bar(one.share, percent(one.share)),
    one.summary && h("p", one.summary),
    h("div.row", one.topics.slice(0, 8).map((name) => h("a.chip", { href: ctx.link("topics", { topic: name }) }, worded(name)))))))));

const all = (topics, by, ctx) => {
  const roots = topics.filter((topic) => !topic.parents.length && topic.children.length)
    .sort((a, b) => b.children.length - a.children.length || b.episodes - a.episodes);
  const single = topics.filter((topic) => !topic.parents.length && !topic.children.length).sort((a, b) => b.episodes - a.episodes);
  const chip = (name) => h("a.chip.item", { href: ctx.link("topics", { topic: name }) }, worded(name),
    h("span.num", whole(by.get(name)?.episodes ?? 0)));
  const rest = h("div.row", single.slice(0, 60).map(({ name }) => chip(name)));
  return [
    themes(ctx),
    h("h2", "From broad to narrow"),
    h("p.quiet.num", `${counted(topics.length, "topic")}; the numbers are memories.`),
    h("div.section.trees", roots.map((root) => h("section.tree",
      h("h2", h("a.item", { href: ctx.link("topics", { topic: root.name }) }, worded(root.name)), h("span.num", whole(root.episodes))),
      h("div.row", [...root.children].sort(often(by)).slice(0, 12).map(chip),
        root.children.length > 12 && h("span.quiet", `and ${root.children.length - 12} more`))))),
    single.length > 0 && section("By themselves", rest,
      single.length > 60 && h("div", h("button", {
        onclick: (event) => { swap(rest, single.map(({ name }) => chip(name))); event.target.remove(); },
      }, `Show all ${whole(single.length)}`))),
  ];
};

const one = (topic, by, ctx) => [
  h("p", h("a", { href: ctx.link("topics", {}) }, "All topics")),
  walk({
    before: ["Broader", [...topic.parents].sort(often(by)).map((name) => to(name, by, ctx)), "Nothing is above it."],
    here: { label: worded(topic.name), note: memories(topic.episodes) },
    after: ["Narrower", [...topic.children].sort(often(by)).map((name) => to(name, by, ctx)), "Nothing is under it."],
  }),
  topic.aliases.length > 0 && h("p.quiet", `Also: ${topic.aliases.map(worded).join(", ")}`),
  h("p.row", h("a.chip", { href: ctx.link("trends", { terms: worded(topic.name) }) }, "Its trend"),
    h("a.chip", { href: ctx.link("search", { q: worded(topic.name) }) }, "Search for it")),
  topic.episodes > 0 && h("section.section", h("h2", "Memories"),
    later(() => ctx.bank.ask("recall", { query: worded(topic.name), k: Math.min(topic.episodes + 6, 30), cues: ["topic", "lexical"] }), (found) => {
      const under = found.hits.filter((hit) => hit.shares.topic > 0);  // others are near them and no more
      return under.length
        ? h("ul", under.map((hit) => entry(hit.episode, ctx, { query: worded(topic.name) })))
        : h("p.quiet", "None are found by its name alone.");
    })),
];
