// What several views show: memories, notices, dialogs, and how waiting and failing look.

import { key } from "./api.js";
import { field, h, icon, marked, newId, swap } from "./dom.js";
import { LEVELS, moment, whole, zoneName } from "./format.js";

// ---- a memory in a list

export const tags = (e) => [
  e.pinned && h("span.tag.strong", "pinned"),
  e.held && h("span.tag.strong", "held"),
  e.state !== "active" && h("span.tag.warn", e.state),
  e.level > 0 && h("span.tag", `faded to ${LEVELS[e.level]}`),
];

export const who = (e) => e.speaker ?? e.role ?? null;

export const byline = (e, { date = moment, first = null } = {}) => h("p.byline",
  first, who(e) && h("span.who", who(e)),
  date(e.occurred_at) && h("time", { datetime: e.occurred_at }, date(e.occurred_at)),
  e.session && h("span.where", e.session),
  !e.session && e.source && h("span.where", e.source),
  tags(e));

// A memory as an entry of a list, which opens it.
export const entry = (e, ctx, { query = "", before = null, after = null, first, date } = {}) =>
  h("li", { class: `entry ${e.state === "active" ? "" : "off"}` }, before,
    h("div.entry-body",
      h("a.said.item", { href: ctx.open(e.id), dir: "auto" }, marked(e.text, query)),
      byline(e, { date, first }), after));

// A list of which some is shown, and more when asked for: no page is as long as what there is.
export const some = (all, draw, { list = h("ul"), most = 12 } = {}) => {
  const more = h("div.row");
  const add = () => {
    const from = list.children.length;
    list.append(...all.slice(from, from + most).map(draw));
    const left = all.length - list.children.length;
    swap(more, left > 0 && h("button", { onclick: add },
      left > most ? `Show ${whole(most)} more of ${whole(left)}` : `Show the other ${whole(left)}`));
  };
  add();
  return [list, more];
};

// ---- notices, for nothing and for trouble

export const notice = (title, text, ...more) => h("section.notice",
  h("h2", title), text && h("p", text), more);

const keyForm = (wrong) => {
  const input = field("API key", "input", {
    type: "password", autocomplete: "off", required: true, spellcheck: "false", placeholder: "hpc_…",
    "aria-describedby": "key-note",
  });
  return h("form.stack", {
    onsubmit: (event) => {
      event.preventDefault();
      key.set(input.querySelector("input").value.trim());
      dispatchEvent(new Event("key"));
    },
  }, input,
  h("p.quiet", { id: "key-note" }, "It is kept in this tab until you close it, and nowhere else."),
  h("div.row", h("button.primary", "Open"),
    wrong && h("button", { type: "button", onclick: () => { key.forget(); dispatchEvent(new Event("key")); } }, "Forget this key")));
};

export const faulted = (error, retry) => {
  const again = retry && h("button.primary", { onclick: retry }, "Try again");
  const id = error.id && h("p.quiet", "Request ", h("code", error.id));
  if (error.status === 401) {
    if (document.querySelector("main input[type=password]")) return notice("This key does not open the door", error.message);
    return key.get()
      ? notice("This key does not open the door", error.message, keyForm(true))
      : notice("This server asks for a key", "Whoever runs it makes one with “hippocampus keys create”.", keyForm(false));
  }
  if (error.status === 0) return notice("The server is gone", `${error.message} It may be stopping, or the network may be down.`, again);
  if (error.status === 403) return notice("This key may not do that", error.message, id);
  if (error.type === "UnknownBank") return notice("No such bank", "There is none of that name, or none that this key opens.", id);
  if (error.status === 429 || error.status === 503) return notice("The server is busy", error.message, again);
  if (error.status === undefined) console.error(error);  // a mistake of ours, which should be seen
  return notice("That did not work", error.message, id, again);
};

// Asks and draws into a slot; what takes a while shows that it does, what fails says why. What was
// asked before and comes later is not drawn.
const asked = new WeakMap();
export const fill = async (slot, ask, draw) => {
  asked.set(slot, ask);
  const latest = () => asked.get(slot) === ask;
  slot.setAttribute("aria-busy", "true");
  const waits = [
    [200, () => swap(slot, h("div.waiting", h("span.sr", "Loading")))],
    [3000, () => slot.append(h("p.quiet", "Of a large bank this takes a while the first time: all that was said is read."))],
  ].map(([after, tell]) => setTimeout(() => latest() && tell(), after));
  const settle = () => waits.forEach(clearTimeout);
  try {
    const got = await ask();
    settle();
    if (latest()) swap(slot, draw(got));
  } catch (error) {
    settle();
    if (latest() && error.name !== "AbortError") swap(slot, faulted(error, () => fill(slot, ask, draw)));
  } finally {
    if (latest()) slot.removeAttribute("aria-busy");
  }
};

export const later = (ask, draw, attributes = {}) => {
  const slot = h("div.slot", { ...attributes });
  fill(slot, ask, draw);
  return slot;
};

// ---- dialogs

const toasts = document.getElementById("toasts");

// What is not in the dialog on top is under it, and neither pressed nor read out.
const lift = () => ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(toasts);

export const toast = (text, undo) => {
  const node = h("div.toast", text,
    undo && h("button", { onclick: () => { node.remove(); undo(); } }, "Undo"));
  lift();
  toasts.append(node);
  setTimeout(() => node.classList.add("old"), 1500);
  setTimeout(() => node.remove(), undo ? 10_000 : 5000);
};

// What was done elsewhere is not told over what is shown now.
export const quiet = () => toasts.querySelectorAll(".old").forEach((one) => one.remove());

export const away = (node) => { node.remove(); lift(); };

export const dialog = (title, ...content) => {
  const named = newId("title");
  const node = h("dialog", { "aria-labelledby": named, onclose: () => away(node) },
    h("header.dialog-top", h("h2", { id: named }, title),
      h("button.icon-button", { "aria-label": "Close", onclick: () => node.close() }, icon("close"))),
    content);
  node.addEventListener("click", (event) => event.target === node && node.close());
  document.body.append(node);
  node.showModal();
  return node;
};

// Asks for something in a form, and gives its fields to `act`; what is refused is said in it.
export const formDialog = (title, content, label, act, { danger = false } = {}) => {
  const wrong = h("p.wrong", { role: "alert" });
  const form = h("form.stack", {
    method: "dialog", onsubmit: async (event) => {
      event.preventDefault();
      const button = form.querySelector("button[type=submit]");
      button.disabled = true;
      try {
        if (await act(Object.fromEntries(new FormData(form))) !== false) node.close();
      } catch (error) {
        wrong.textContent = error.message;
      } finally {
        button.disabled = false;
      }
    },
  }, content, wrong,
  h("div.row.end",
    h("button", { type: "button", onclick: () => node.close() }, "Cancel"),
    h("button", { type: "submit", class: danger ? "danger" : "primary" }, label)));
  const node = dialog(title, form);
  form.querySelector("input, textarea, select")?.focus();
  return node;
};

export const attempt = async (act) => {
  try {
    return await act();
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message);
    return undefined;
  }
};

export const remember = (ctx) => formDialog("Remember something", [
  field("What was said or happened", "textarea", { name: "text", rows: 4, required: true }),
  h("div.pair",
    field("Who said it", "input", { name: "speaker" }), field(`When, in ${zoneName()} (empty: now)`, "input", { name: "at", type: "datetime-local" })),
  field("Conversation", "input", { name: "session" }),
], "Remember", async (given) => {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  await ctx.bank.ask("remember", said);
  toast("Remembered.");
  ctx.refresh();
});

// ---- small things

export const heading = (title, told, ...actions) => h("header.heading",
  h("div", h("h1", { tabindex: "-1" }, title), told && (told instanceof Node ? told : h("p.quiet", told))),
  actions.length > 0 && h("div.row", actions));

export const section = (title, ...content) => h("section.section", h("h2", title), content);

// A share of one as a bar, with its words beside it.
export const bar = (share, label) => h("span.bar", { role: "img", "aria-label": label },
  h("span", { style: { width: `${Math.max(0, Math.min(1, share)) * 100}%` } }));

export const figure = (value, label) => h("div.figure", h("dd", value), h("dt", label));
export const figures = (...all) => h("dl.figures", all);
