// A recall, step by step: what the question was read as, who proposed what, what counted, what was decided.

import { field, h, swap } from "./dom.js";
import { CUES, counted, cueName, day, memories, ms, percent, stretch, whole } from "./format.js";
import { bar, fill, heading, notice } from "./parts.js";

const FILTERS = ["since", "until", "during", "speaker", "session", "as_of"];
const SHOWS = {
  matched: "how well the question's words are met", missing: "what of them is not met, in nats a word",
  covered: "how many of its words are there", absent: "what of them is not there, in nats a word",
  vector: "how near the meanings are", other: "whether somebody else speaks than is asked about",
};
const IN_SEARCH = ["propose", "expand", "score"];

export const show = (ctx) => {
  const { params } = ctx;
  const slot = h("div.slot");
  const form = h("form", {
    role: "search", class: "ask", onsubmit: (event) => {
      event.preventDefault();
      ctx.go(null, Object.fromEntries(new FormData(form)));
    },
  },
  h("div.ask-line",
    h("input", { name: "q", type: "search", required: true, autocomplete: "off", value: params.q ?? "", placeholder: "Ask in any words", "aria-label": "Question" }),
    h("button.primary", "Explain")),
  field("Why is this one not there? Its id", "input", { name: "row", value: params.row ?? "", autocomplete: "off" }));
  if (!params.q) swap(slot, notice("What should be explained?", "Ask a question as you would search, and see each step of how it is answered."));
  else {
    const given = Object.fromEntries(FILTERS.filter((name) => params[name]).map((name) => [name, params[name]]));
    if (params.cues) given.cues = params.cues.split(" ");
    if (params.row) given.ids = params.row.trim().split(/[\s,]+/);
    fill(slot, () => ctx.bank.ask("explain", { query: params.q, k: Number(params.hits ?? params.k ?? 10), suspects: "hide", ...given }), (made) => walked(made, ctx));
  }
  return [heading("Explain", "Each step from a question to what answers it.",
    h("a.button", { href: ctx.link("search", { ...params, row: null, hits: null }) }, "Back to the search")), form, slot];
};

const step = (title, told, ...content) => h("section.section.step", h("h2", title), told && h("p.quiet", told), content);

const walked = (made, ctx) => {
  const { question: read, recall, verdict } = made;
  const proposing = made.cues.some((one) => one.proposed);
  return h("div.steps",
    step("The question", null, h("dl.read", [
      ["Read as", read.text !== recall.query && read.text],
      ["Asks for", read.asks_for.join("; ")],
      ["About", read.speakers.join(", ")],
      ["Time", read.times.map((one) => `“${one.text}” is ${stretch(one)}`).join("; ")],
      ["Only", read.only.filter((one) => one !== "suspect").join("; ")],
    ].filter(([, value]) => value).map(([name, value]) => [h("dt", name), h("dd", value)])),
    read.words.length > 0 && table(["Word", "Weight", "In"], read.words.map((one) => [
      one.word, [bar(one.share, percent(one.share)), percent(one.share)], memories(one.memories)]))),
    step("Who proposed what", `${whole(recall.cost.candidates)} of ${memories(recall.cost.allowed)} were weighed${proposing ? "" : ": few enough to weigh all of them"}.`,
      table(["Cue", "Weight", ...(proposing ? ["Proposed", "Alone", "Among the hits"] : []), "It looks at"], made.cues.map((one) => [
        cueName(one.cue), one.weight ? one.weight.toPrecision(2) : "",
        ...(proposing ? [one.proposed, one.alone, one.shown].map((n) => (one.proposed ? whole(n) : "")) : []), CUES[one.cue]?.[1] ?? ""])),
      Object.entries(made.led_to).map(([by, n]) => h("p.quiet", `${whole(n)} more were led to by ${cueName(by)}.`))),
    made.asked.length > 0 && step("Asked for", null, accounts(made.asked, ctx)),
    step("Hits", "Bars to the right count for a memory, bars to the left against it, in standard deviations.",
      made.hits.length ? accounts(made.hits, ctx) : h("p", "There are none.")),
    made.left_out.length > 0 && step("Not among them", "The next best, and the best that each cue proposed in vain.", accounts(made.left_out, ctx)),
    step("Decided", null,
      h("p", h("strong", verdict.found ? "Found" : "Nothing relevant was found"), ` — ${percent(verdict.confidence)} sure; from ${percent(verdict.least)} on it counts as found.`),
      verdict.note && h("p", verdict.note),
      table(["The best hit", ""], Object.entries(verdict.evidence).map(([name, value]) => [SHOWS[name] ?? name, value.toFixed(2)])),
      verdict.rival !== null && h("p.quiet", `What others said fits ${verdict.rival.toFixed(2)} better than what was said by whom the question is about.`),
      recall.degraded.map((one) => h("p.hint.warn", `Without ${cueName(one.part)}: ${one.reason}`))),
    step("Time", `${ms(recall.cost.elapsed_s)} in all.`, timed(made.steps_s)));
};

const table = (heads, rows) => rows.length > 0 && h("div.scrolls", h("table.told",
  h("thead", h("tr", heads.map((one) => h("th", { scope: "col" }, one)))),
  h("tbody", rows.map(([first, ...rest]) => h("tr", h("th", { scope: "row" }, first), rest.map((one) => h("td", one)))))));

const accounts = (all, ctx) => {
  const most = Math.max(...all.flatMap((one) => Object.values(one.parts).map(Math.abs)), 1e-9);
  return h("ol.accounts", all.map((one) => h("li",
    h("p.said", h("span.rank.num", one.place ?? "–"),
      h("a", { href: ctx.open(one.id) }, one.text || "(erased)"),
      h("small.quiet", ` ${one.speaker ? `${one.speaker}, ` : ""}${day(one.occurred_at)}`)),
    h("p.why-not", one.why),
    Object.keys(one.parts).length > 0 && h("details", { open: one.shown && one.place === 1 },
      h("summary", `${one.ranking_score.toFixed(2)} = ${Object.entries(one.parts).slice(0, 3).map(([cue, part]) => `${cueName(cue)} ${signed(part)}`).join(", ")}${Object.keys(one.parts).length > 3 ? " …" : ""}`),
      h("table.parts", h("tbody", Object.entries(one.parts).map(([cue, part]) => h("tr",
        h("th", { scope: "row", title: CUES[cue]?.[1] ?? "" }, cueName(cue)),
        h("td.num", signed(part)),
        h("td.both", { "aria-hidden": "true" }, h("span", {
          class: part < 0 ? "less" : "more", style: { width: `${Math.abs(part) / most * 50}%` },
        })),
        h("td.quiet", one.proposed_by[cue] ? `no. ${whole(one.proposed_by[cue])} of what it proposed` : "")))))))));
};

const signed = (part) => `${part < 0 ? "−" : "+"}${Math.abs(part).toFixed(2)}`;

const timed = (steps) => {
  const outer = Object.entries(steps).filter(([name]) => !IN_SEARCH.includes(name));
  const most = Math.max(...outer.map(([, s]) => s), 1e-9);
  const row = ([name, s], inner) => [inner ? `… ${name}` : name, [bar(s / most, ms(s)), ms(s)]];
  return table(["Step", "Took"], outer.flatMap(([name, s]) => [row([name, s]),
    ...(name === "search" ? IN_SEARCH.filter((one) => one in steps).map((one) => row([one, steps[one]], true)) : [])]));
};
