// How often words came up: a strip for each on the same axes, so that they can be compared.

import { field, h, option } from "./dom.js";
import { counted, cueName, day, month, stretch, whole, worded, year } from "./format.js";
import { heading, later, notice } from "./parts.js";
import { numbers, plot } from "./plot.js";

const BY = ["day", "week", "month", "year"];
const MOST = 6;

export const show = (ctx) => {
  const { params } = ctx;
  const by = BY.includes(params.by) ? params.by : "month";
  const terms = (params.terms ?? "").split(",").map((term) => term.trim()).filter(Boolean).slice(0, MOST);
  const form = h("form.filters", {
    onsubmit: (event) => { event.preventDefault(); ctx.go(null, Object.fromEntries(new FormData(form))); },
  },
  field("Words or phrases, up to six, with commas", "input", { name: "terms", required: true, value: params.terms ?? "", class: "wide" }),
  field("By", "select", { name: "by" }, BY.map((one) => option(one, one, one === by))),
  field("From", "input", { type: "date", name: "since", value: params.since ?? "" }),
  field("To", "input", { type: "date", name: "until", value: params.until ?? "" }),
  h("div.row", h("button.primary", "Count")));
  const result = terms.length
    ? later(() => Promise.all(terms.map((term) => ctx.bank.ask("trend", {
      term, by, ...(params.since && { since: params.since }), ...(params.until && { until: params.until }),
    }))), (all) => strips(terms, all, by, ctx))
    : suggestions(ctx);
  return [heading("Trends", "How often a word or phrase came up, exactly as it is written, letter case aside."), form, result, ...events(ctx)];
};

// How many times something took place: a question, and its events with the memories that tell of each.
const events = (ctx) => {
  const { params } = ctx;
  const form = h("form.filters", {
    onsubmit: (event) => { event.preventDefault(); ctx.go(null, Object.fromEntries(new FormData(form))); },
  },
  field("A question, or what is to be counted", "input", { name: "q", required: true, value: params.q ?? "", class: "wide", placeholder: "How many times did I go running in October?" }),
  h("div.row", h("button.primary", "Count events")));
  const question = (params.q ?? "").trim();
  return [
    h("h2", "Events"),
    h("p.quiet", "How many times something took place, in any wording; several memories of one event count once."),
    form,
    question && later(() => ctx.bank.ask("count_events", { question }), (found) => [
      h("p", h("strong.num", counted(found.count, "time")),
        found.intervals.map((one) => h("span.quiet", `, “${one.text}” being ${stretch(one)}`))),
      happened(found.events, ctx),
      found.doubtful.length > 0 && h("h3", "May be more"),
      happened(found.doubtful, ctx),
      (found.degraded ?? []).map((one) => h("p", { class: "hint warn" }, `Without ${cueName(one.part)}: ${one.reason}`)),
    ]),
  ];
};

const happened = (list, ctx) => list.length > 0 && h("table.data",
  h("thead", h("tr", h("th", "when"), h("th", "what was remembered"))),
  h("tbody", list.map((event) => h("tr",
    h("td.num", day(event.start), event.times > 1 && ` ×${event.times}`),
    h("td", h("a", { href: ctx.link(null, { m: event.episodes[0] }) }, event.quote), event.episodes.length > 1 && h("span.quiet", ` and ${counted(event.episodes.length - 1, "more memory", "more memories")}`))))));

// What to begin with: whom and what this bank speaks of.
const suggestions = (ctx) => later(() => ctx.bank.read("topics"), (topics) => {
  const often = topics.sort((a, b) => b.episodes - a.episodes).slice(0, 10);
  return notice("Which words?", "Several are drawn below each other on the same axes.",
    often.length > 0 && h("div.row", often.map(({ name }) => h("a.chip", { href: ctx.link(null, { terms: worded(name) }) }, worded(name)))));
});

const strips = (terms, all, by, ctx) => {
  const most = Math.max(...all.flat().map((period) => period.count), 0);
  if (!most) return notice("They never came up", "Counting is exact: “run” does not count “running”. Search finds what means the same.");
  const name = (start) => ({ day, week: day, month, year })[by](start);
  return [
    h("p.quiet", `Times a ${by}`),
    ...terms.map((term, at) => {
      const points = all[at].map(({ start, count }) => ({ x: Date.parse(start), y: count, start }));
      const total = points.reduce((sum, p) => sum + p.y, 0);
      const head = h("span.strip-head", h("a", { href: ctx.link("search", { q: term }) }, term), h("span.quiet.num", counted(total, "time")));
      if (!total) return h("figure.figure-plot", h("figcaption", head));
      return plot({
        points, top: most, whole: true, height: terms.length > 2 ? 150 : 210, title: head,
        label: `How often “${term}” came up by ${by}, ${total} in all; arrow keys read the values`,
        xTicks: timeTicks(points.map((p) => p.start)),
        read: (p) => `${by === "week" ? "Week of " : ""}${name(p.start)}: ${whole(p.y)}`,
        hint: `Most in ${by === "week" ? "the week of " : ""}${name(points.reduce((a, b) => (b.y > a.y ? b : a)).start)}`,
      });
    }),
    numbers([by, ...terms], all[0].map(({ start }, row) => [name(start), ...all.map((one) => whole(one[row]?.count ?? 0))])),
  ];
};

// Where years or months begin, or days, whichever there are few of.
export const timeTicks = (starts) => {
  const spans = Date.parse(starts.at(-1)) - Date.parse(starts[0]);
  const years = spans > 3 * 365 * 864e5;
  const months = !years && spans > 60 * 864e5;
  const text = years ? year : months ? month : day;
  return starts.filter((iso, at) => at === 0 || text(iso) !== text(starts[at - 1])).map((iso) => [Date.parse(iso), text(iso)]);
};
