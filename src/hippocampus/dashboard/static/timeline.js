// What happened, in order: by day, filtered, as far back as one likes to scroll.

import { field, h, option, swap } from "./dom.js";
import { counted, day, longDay, memories, time, whole, zoneName } from "./format.js";
import { hiddenLately } from "./journal.js";
import { entry, faulted, fill, heading, notice } from "./parts.js";

const PAGE = 60;
const FILTERS = ["since", "until", "speaker", "session"];

// A text that was kept in parts is one entry: the first of them that is here, and the others folded.
const together = new WeakMap();
const SAME = ["occurred_at", "session", "turn", "speaker", "source", "parts"];
const addPart = (line, e, ctx) => {
  const before = together.get(line.lastElementChild) ?? [];
  const same = before.length && SAME.every((name) => before[0][name] === e[name]) && !before.some((one) => one.part === e.part);
  const [first, ...others] = [...(same ? before : []), e].sort((a, b) => a.part - b.part);
  const node = entry(first, ctx, { date: time, after: h("details",
    h("summary", `Part ${whole(first.part + 1)} of ${whole(e.parts)}`, others.length > 0 && `; show the other ${whole(others.length)}`),
    others.map((one) => h("a.said.small.item", { href: ctx.open(one.id), dir: "auto" }, one.text))) });
  together.set(node, [first, ...others]);
  if (same) line.lastElementChild.replaceWith(node);
  else line.append(node);
};

export const show = (ctx) => {
  const { params } = ctx;
  const oldest = params.order === "oldest";
  const list = h("div.days");
  const more = h("div.row");
  const given = Object.fromEntries(FILTERS.map((name) => [name, params[name]]));
  const any = FILTERS.some((name) => params[name]);
  const form = h("form.filters", {
    onsubmit: (event) => {
      event.preventDefault();
      ctx.go(null, Object.fromEntries(new FormData(form)));
    },
  },
  field("From", "input", { type: "date", name: "since", value: params.since ?? "" }),
  field("To", "input", { type: "date", name: "until", value: params.until ?? "" }),
  field("Speaker", "input", { name: "speaker", value: params.speaker ?? "", list: "speakers" }),
  field("Conversation", "input", { name: "session", value: params.session ?? "" }),
  field("Order", "select", { name: "order" }, option("", "latest first", !oldest), option("oldest", "oldest first", oldest)),
  h("div.row", h("button.primary", "Show"),
    any && h("button", { type: "button", onclick: () => ctx.go(null, Object.fromEntries(FILTERS.map((name) => [name, null]))) }, "Clear")),
  h("datalist", { id: "speakers" }));

  const told = h("p.quiet.num", "\u00a0");
  ctx.bank.read("stats").then((stats) => {
    swap(told, stats.episodes > 0
      ? `${memories(stats.episodes)} in ${counted(stats.sessions, "conversation")}, ${day(stats.first)} – ${day(stats.last)}; days and times are those of ${zoneName()}`
      : "Nothing is in force in this bank.");
    swap(form.querySelector("datalist"), stats.speakers.slice(0, 200).map((name) => option(name, name)));
  }, () => {});  // the list below says what is wrong

  let last = null;
  const add = (found) => {
    for (const e of found.entries) {
      const date = longDay(e.occurred_at);
      if (date !== last) {
        list.append(h("section.day", h("h2", date), h("ol.line")));
        last = date;
      }
      const line = list.lastElementChild.lastElementChild;
      if (e.parts > 1) addPart(line, e, ctx);
      else line.append(entry(e, ctx, { date: time }));
    }
    swap(more, found.next && h("button", { onclick: () => next(found.next) }, oldest ? "Later" : "Earlier"));
  };
  const ask = (cursor) => ctx.bank.page("episodes", { ...given, newest: oldest ? null : true, limit: PAGE, cursor });
  const next = async (cursor) => {
    more.firstChild.disabled = true;
    const at = list.querySelectorAll(".item").length;
    try {
      add(await ask(cursor));
      list.querySelectorAll(".item")[at]?.focus();
    } catch (error) {
      if (error.name !== "AbortError") swap(more, faulted(error, () => next(cursor)));
    }
  };
  fill(list, () => ask(), (found) => {
    if (found.entries.length === 0) return notice("Nothing here", any ? "No memory fits these filters." : "This bank has no memories in force yet.");
    queueMicrotask(() => add(found));
    return [];
  });
  const hidden = h("div.slot");
  return [heading("Timeline", told), form, list, more, h("details.section", {
    ontoggle: (event) => event.target.open && !hidden.firstChild
      && fill(hidden, () => hiddenLately(ctx.bank, 30), (all) => (all.length
        ? h("ul", all.map((e) => entry(e, ctx)))
        : h("p.quiet", "Nothing was hidden lately that could be restored."))),
  }, h("summary", "Forgotten lately"), hidden)];
};
