// Whom facts are about, how they hang together, and what was so from when until when.

import { h, swap } from "./dom.js";
import { counted, day, memories, whole, worded } from "./format.js";
import { faulted, fill, heading, later, notice, section, some } from "./parts.js";
import { map, walk } from "./walk.js";

export const show = (ctx) => {
  const chosen = ctx.params.entity;
  return [
    heading("People & facts", "Who is what to whom, since when, and until when, read from what was said."),
    chosen
      ? asFarAsRead(() => ctx.bank.partly("facts", { entity: chosen }, WAIT_S).then((facts) => [facts]), (facts) => one(chosen, facts, ctx))
      : asFarAsRead(() => inTurn([["people", WAIT_S], ["facts", 0], ["entities", 0]].map(([verb, wait]) => () => ctx.bank.partly(verb, {}, wait))), (people, facts, entities) => all(entities, facts, people, ctx)),
  ];
};

const WAIT_S = 3;

const inTurn = async (asks) => {
  const got = [];
  for (const ask of asks) got.push(await ask());
  return got;
};

// Of a large bank all that was said is read once, which takes minutes. What was read by now is shown, and each
// further question has the server read on; what is shown stays until all is read.
const asFarAsRead = (ask, draw) => {
  const told = h("div", { role: "status" });
  const slot = h("div.slot");
  const drawn = (got) => draw(...got.map((one) => one.entries));
  const tell = (got) => {
    const unread = got.find((one) => one.unread)?.unread;
    swap(told, unread && h("p.hint", `Read from ${unread} memories so far, and reading on: some facts are missing, and some may be over by now.`));
    if (unread) readOn();
    return unread;
  };
  const readOn = async () => {
    try {
      const got = await ask();
      if (!tell(got)) swap(slot, drawn(got));
    } catch (error) {
      if (error.name !== "AbortError") swap(told, faulted(error, readOn));
    }
  };
  fill(slot, ask, (got) => { tell(got); return drawn(got); });
  return [told, slot];
};

const all = (entities, facts, people, ctx) => {
  if (!entities.length && !people.length) return notice("No facts yet", "A fact is read from sentences such as “I moved to Porto in March”. None was found in what this bank was told.");
  const to = (name) => ctx.link("facts", { entity: name });
  return [
    people.length > 0 && graph(people, facts, to),
    people.length > 0 && h("section.section", h("h2", whom(people)),
      some(people, (one) => h("li",
        h("a.item", { href: to(one.name) }, one.name),
        one.ties.length > 0 && h("small", ` ${one.ties[0].role}`),
        h("span.num", memories(one.episodes))),
      { list: h("ul.columns"), most: 60 })),
    entities.length > 0 && h("section.section", h("h2", `Facts about ${counted(entities.length, "name")}`),
      some(entities, (one) => h("li",
        h("a.item", { href: to(one.name) }, one.name), h("span.num", counted(one.facts, "fact"))),
      { list: h("ul.columns"), most: 60 })),
  ];
};

const whom = (people) => {
  const pets = people.filter((one) => one.kind === "pet").length;
  return [people.length > pets && counted(people.length - pets, "person", "people"), pets > 0 && counted(pets, "pet")].filter(Boolean).join(", ");
};

// People and pets alone: what else facts name (places, things) is told where one of them is looked at.
const graph = (people, facts, to) => {
  const shown = people.slice(0, 36);
  const where = new Map(shown.flatMap((one, at) => [one.name, ...one.aliases].map((name) => [name.toLowerCase(), at])));
  const at = (name) => where.get(name.toLowerCase()) ?? Infinity;
  const ends = [
    ...shown.flatMap((one, place) => one.ties.map((tie) => [at(tie.to), place])),
    ...facts.map((fact) => [at(fact.subject), at(fact.object)]),
  ];
  const nodes = shown.map((one) => ({ name: one.name, size: Math.max(1, one.episodes), href: to(one.name), aside: one.kind === "pet" }));
  return map(nodes, ends, "Whom the bank speaks of; a line is what one is to the other");
};

const one = (name, facts, ctx) => {
  if (!facts.length) return [
    back(ctx), notice(`No fact is known of ${name}`, "Nothing that was said of this name is a fact that holds over time."),
    h("p", h("a", { href: ctx.link("search", { q: name }) }, `Memories that name ${name}`)),
  ];
  const to = (other) => ctx.link("facts", { entity: other });
  const own = facts.filter((fact) => fact.subject.toLowerCase() === name.toLowerCase());
  const others = facts.filter((fact) => fact.subject.toLowerCase() !== name.toLowerCase());
  const seen = new Set();
  const nodes = (some, end) => [...some].sort((a, b) => (a.valid_to !== null) - (b.valid_to !== null)).filter((fact) => {
    const key = `${fact.relation} ${fact[end]}`;  // what is so now stands for what was so before
    return fact[end] && !seen.has(key) && seen.add(key);
  }).slice(0, 14)
    .map((fact) => ({ label: fact[end], note: `${worded(fact.relation)}${fact.valid_to ? ", over" : ""}`, href: to(fact[end]), over: Boolean(fact.valid_to) }));
  return [
    back(ctx),
    walk({
      before: ["Who names it", nodes(others, "subject"), "Nobody else’s facts do."],
      here: { label: own[0]?.subject ?? name, note: counted(facts.length, "fact") },
      after: ["What is said of it", nodes(own, "object"), "Nothing."],
    }),
    section("In time", inTime(facts, ctx)),
  ];
};

const back = (ctx) => h("p", h("a", { href: ctx.link("facts", {}) }, "All names"));

// Facts, each with the day on which it was said first, for where nobody said since when. What was
// said in a memory that is gone has none.
const withDays = async (bank, facts) => {
  const wanted = new Set(facts.filter((fact) => !fact.valid_from).map((fact) => fact.sources[0]));
  const days = new Map(await Promise.all([...wanted].map(async (id) => [id, await bank.read("get", { id }).then((e) => e.occurred_at, (error) => {
    if (error.type !== "UnknownEpisode") throw error;
    return null;
  })])));
  return facts.map((fact) => ({ ...fact, said: days.get(fact.sources[0]) ?? null }));
};

// So many facts in time, and more when asked for.
const inTime = (facts, ctx, most = 40) => later(() => withDays(ctx.bank, facts.slice(0, most)), (dated) => [
  bars(dated, ctx),
  facts.length > most && h("button", { onclick: (event) => event.target.closest(".slot").replaceWith(inTime(facts, ctx, most + 40)) },
    facts.length - most > 40 ? `Show 40 more of ${whole(facts.length - most)}` : `Show the other ${whole(facts.length - most)}`),
]);

// Each fact as a bar on one axis of time; of what has no known beginning, from when it was said.
const bars = (facts, ctx) => {
  const from = (fact) => Date.parse(fact.valid_from ?? fact.said ?? fact.known_from);
  const to = (fact) => (fact.valid_to ? Date.parse(fact.valid_to) : Infinity);
  const known = facts.flatMap((fact) => [from(fact), to(fact)]).filter(Number.isFinite);
  const first = Math.min(...known);
  const last = Math.max(...known, first + 30 * 864e5);
  const end = last + (last - first) * 0.06;
  const share = (at) => `${((Math.min(at, end) - first) / (end - first)) * 100}%`;
  return h("div",
    h("div.fact.axis-row", { "aria-hidden": "true" }, h("span"), h("span.ends.num", h("span", day(new Date(first))), h("span", day(new Date(last)))), h("span")),
    h("ul", facts.map((fact) => {
      const since = fact.valid_from ? `since ${day(fact.valid_from)}` : fact.said ? `said ${day(fact.said)}` : `known since ${day(fact.known_from)}`;
      const told = fact.valid_to ? `${fact.valid_from ? `${day(fact.valid_from)} –` : "until"} ${day(fact.valid_to)}` : since;
      const length = Math.max(0, Math.min(to(fact), end) - from(fact)) / (end - first);
      return h("li", { class: `fact ${fact.valid_to ? "past" : ""}` },
        h("div", h("span.what", fact.subject, h("span.relation", ` ${worded(fact.relation)} `), fact.object || "…"), h("small.num", told)),
        h("div.held-for", { "aria-hidden": "true" }, h("span", { style: { left: share(from(fact)), width: `${length * 100}%` } })),
        h("div", fact.sources.slice(-1).map((id) => h("a.item", { href: ctx.open(id) }, fact.sources.length > 1 ? `${whole(fact.sources.length)} sources` : "source"))));
    })));
};
