// Ask the memory: what was found and why, and beside it the context that a model would get.

import { field, h, option, swap } from "./dom.js";
import { CUES, counted, cueName, day, memories, ms, percent, stretch, whole, worded, zoneName } from "./format.js";
import { attempt, bar, entry, faulted, notice, toast } from "./parts.js";

const SHOWN = 12;
const UNLIKELY = 0.1;
const FILTERS = ["since", "until", "during", "speaker", "session", "as_of"];
const ASKABLE = ["lexical", "vector", "tokens", "time", "topic", "concept", "graph"];

export const show = (ctx) => {
  const { params } = ctx;
  const results = h("div.results");
  const heard = h("p.sr", { role: "status" });  // all that was found would be read out for minutes
  const input = h("input", {
    id: "q", name: "q", type: "search", required: true, autocomplete: "off", value: params.q ?? "",
    placeholder: "Ask in any words", "aria-label": "Question",
  });
  const chosen = new Set(params.cues?.split(" "));
  const form = h("form", {
    role: "search", class: "ask", onsubmit: (event) => {
      event.preventDefault();
      performance.mark("asked");
      const { q, budget, k, ...rest } = Object.fromEntries(new FormData(form));
      const cues = ASKABLE.filter((cue) => rest[`cue-${cue}`]);
      const next = {
        q, budget: budget === "1500" ? null : budget, k: k === "20" ? null : k,
        ...Object.fromEntries(FILTERS.map((name) => [name, rest[name]])),
        cues: cues.length === ASKABLE.length ? null : cues.join(" ") || null,
      };
      if (ctx.link(null, next) === location.hash) run();
      else ctx.go(null, next);
    },
  },
  h("div.ask-line", input, h("button.primary", "Search")),
  h("details.more", { open: [...FILTERS, "budget", "k", "cues"].some((name) => params[name]) },
    h("summary", "Filters and budget"),
    h("div.grid",
      field("Said since", "input", { type: "date", name: "since", value: params.since ?? "" }),
      field("Said until", "input", { type: "date", name: "until", value: params.until ?? "" }),
      field("In the time of", "input", { name: "during", value: params.during ?? "", placeholder: "the week when Ana was away" }),
      field("Speaker", "input", { name: "speaker", value: params.speaker ?? "" }),
      field("Conversation", "input", { name: "session", value: params.session ?? "" }),
      field("As known on", "input", { type: "date", name: "as_of", value: params.as_of ?? "" }),
      field("Most hits", "select", { name: "k" }, ["10", "20", "50", "100"].map((n) => option(n, n, n === (params.k ?? "20")))),
      field("Context budget, tokens", "input", { type: "number", name: "budget", min: 50, max: 200000, step: 1, value: params.budget ?? "1500" })),
    h("p.quiet", `Days are those of ${zoneName()}, as this store counts them.`),
    h("fieldset.choices", h("legend", "Cues to ask"), ASKABLE.map((cue) => h("label", { title: CUES[cue][1] },
      h("input", { type: "checkbox", name: `cue-${cue}`, checked: !chosen.size || chosen.has(cue) }), cueName(cue))))));

  const run = async () => {
    results.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => swap(results, h("div.waiting")), 300);
    const given = Object.fromEntries(FILTERS.filter((name) => params[name]).map((name) => [name, params[name]]));
    if (chosen.size) given.cues = [...chosen];
    try {
      const made = await ctx.bank.ask("context", {
        query: params.q, k: Number(params.k ?? 20), budget_tokens: Number(params.budget ?? 1500), gists: 3, ...given,
      });
      clearTimeout(slow);
      swap(results, answer(made, ctx));
      const { hits, found, confidence } = made.recall;
      swap(heard, counted(hits.length, "hit"), hits.length > 0 && (found ? `, ${percent(confidence)} sure` : ", probably none that answers"));
      requestAnimationFrame(() => performance.mark("answered"));
    } catch (error) {
      if (error.name !== "AbortError") swap(results, faulted(error, run));
    } finally {
      clearTimeout(slow);
      results.removeAttribute("aria-busy");
    }
  };
  if (params.q) run();
  else swap(results, welcome());
  queueMicrotask(() => !params.q && input.focus());
  return [h("h1.sr", { tabindex: "-1" }, "Search"), form, heard, results];
};

const welcome = () => notice("What would you like to know?",
  "Each hit says which cues found it, and beside the hits stands the context that a model would be given.");

const vain = (params) => {
  const set = FILTERS.filter((name) => params[name]).map(worded).join(", ");
  return `Nothing ${set ? `that these filters leave (${set}) ` : ""}bears on the question. Other words${set ? ", or fewer filters," : ""} may help.`
    + (params.as_of ? ` Only what had been noted by ${day(params.as_of)} was looked at, however long ago it happened.` : "");
};

const answer = (made, ctx) => {
  const { recall } = made;
  if (recall.hits.length === 0) {
    return [degraded(recall), notice("Nothing was found", recall.note || vain(ctx.params), explained(ctx, recall))];
  }
  const inside = new Set(made.items.map((hit) => hit.episode.id));
  const list = h("ol.hits");
  const add = (from) => {
    recall.hits.slice(from, from + SHOWN).forEach((one, at) => {
      const before = recall.hits[from + at - 1];
      if (one.score < UNLIKELY && (!before || before.score >= UNLIKELY)) list.append(h("li.faint-from", `From here on it is less than ${percent(UNLIKELY)} likely that one bears on the question.`));
      list.append(hit(one, from + at + 1, inside, recall.query, ctx));
    });
    const left = recall.hits.length - list.querySelectorAll(".entry").length;
    swap(more, left > 0 && h("button", { onclick: () => add(list.querySelectorAll(".entry").length) }, `Show ${Math.min(left, SHOWN)} more`));
  };
  const more = h("div.row");
  add(0);
  return [
    verdict(recall, ctx), h("p.to-context", h("button", { onclick: () => document.getElementById("context").scrollIntoView() }, "To the context")), degraded(recall),
    h("div.side-by-side",
      h("section", { "aria-labelledby": "hits" }, h("h2", { id: "hits" }, "Hits"), list, more),
      composed(made)),
  ];
};

const explained = (ctx, { hits }) => h("a", { href: ctx.link("explain", { ...ctx.params, hits: hits.length || null }) }, "How was this found?");

const verdict = (recall, ctx) => h("div.verdict",
  h("p", h("strong", recall.found ? `${percent(recall.confidence)} sure that it is among these` : recall.note || "Probably nothing here answers that"),
    recall.when && recall.found && h("span", "It was ", h("strong", stretch(recall.when)), recall.when.text && ` (“${recall.when.text}”)`),
    recall.intervals.map((one) => h("span", `“${one.text}” is ${stretch(one)}`)),
    recall.during.length > 0 && h("span", `Only of ${recall.during.map(stretch).join(" and of ")}`)),
  h("p.quiet.num", `${ms(recall.cost.elapsed_s)} over ${memories(recall.cost.allowed)}, ${whole(recall.cost.candidates)} looked at closely. `, explained(ctx, recall)));

const degraded = (recall) => recall.degraded.length > 0 && h("div.hint.warn", { role: "note" },
  h("strong", "Searched with less than usual. "),
  recall.degraded.map((one) => h("span", `${cueName(one.part)}: ${one.reason} `)));

// The cues that brought a hit here, most first: one strip in tints of one colour, and in words.
const shares = (hit) => {
  const parts = Object.entries(hit.shares).sort((a, b) => b[1] - a[1]);
  if (!parts.length) return null;  // what no cue speaks for, and is there for want of better
  return h("details.why",
    h("summary",
      h("span.strip", { "aria-hidden": "true" }, parts.map(([, share], at) =>
        h("span", { style: { "flex-grow": share, opacity: Math.max(0.18, 1 - at * 0.24) } }))),
      h("span.strip-words", parts.slice(0, 3).map(([cue, share]) => `${cueName(cue)} ${percent(share)}`).join(" · "))),
    h("table.cues", h("thead.sr", h("tr", h("th", "Cue"), h("th", "Share"), h("th", "Why"))),
      h("tbody", parts.map(([cue, share]) => h("tr",
        h("th", { scope: "row" }, cueName(cue)),
        h("td.num", bar(share, percent(share)), percent(share)),
        h("td", CUES[cue]?.[1] ?? ""))))));
};

const hit = (one, rank, inside, query, ctx) => {
  const used = inside.has(one.episode.id);
  return entry(one.episode, ctx, {
    query,
    before: h("div.rank", h("span.num", rank),
      h("span", { class: `dot ${used ? "on" : ""}`, role: "img", "aria-label": used ? "in the context" : "not in the context", title: used ? "in the context" : "not in the context" })),
    first: h("span.who.num", { title: "How likely it bears on the question" }, percent(one.score)),
    after: [
      (one.valid_to || one.corrected_by || one.episode.times.length > 0) && h("p.row",
        one.valid_to && h("span.tag.warn", `over since ${day(one.valid_to)}`),
        one.corrected_by && h("span.tag.warn", "corrected later"),
        one.episode.times.map((when) => h("span.tag", `“${when.text}” is ${stretch(when)}`))),
      shares(one),
    ],
  });
};

const faint = (made) => made.items.filter((one) => one.score < UNLIKELY).length;

const composed = (made) => h("section.context", { "aria-labelledby": "context" },
  h("header.row", h("h2", { id: "context" }, "Context"), h("span.grow"),
    h("button", {
      onclick: () => attempt(async () => { await navigator.clipboard.writeText(made.text); toast("Copied."); }),
    }, "Copy")),
  h("p.meter.num", bar(made.tokens / made.budget_tokens, `${made.tokens} of ${made.budget_tokens} tokens`),
    `${whole(made.tokens)} of ${whole(made.budget_tokens)} tokens`),
  h("p.quiet.num", `${memories(made.items.length)}, in order of time`,
    faint(made) > 0 && `; ${whole(faint(made))} of less than ${percent(UNLIKELY)}, for there is room`,
    made.left_out.length > 0 && `; ${whole(made.left_out.length)} left out for want of room`),
  h("pre", { tabindex: "0", "aria-label": "The context's text", dir: "auto" }, made.text));


