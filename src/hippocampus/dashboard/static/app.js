// The shell: which view of which bank the address names, and what is around every view.

import { bankOf, key, store } from "./api.js";
import { field, h, icon, option, swap } from "./dom.js";
import { showIn } from "./format.js";
import { closeMemory, showMemory } from "./memory.js";
import { dialog, faulted, formDialog, heading, notice, quiet, remember } from "./parts.js";
import * as search from "./search.js";

// Those that are not first are fetched when they are asked for.
const VIEWS = {
  search: { label: "Search", load: () => search },
  explain: { label: "Explain", of: "search", load: () => import("./explain.js") },
  timeline: { label: "Timeline", load: () => import("./timeline.js") },
  topics: { label: "Topics", load: () => import("./topics.js") },
  facts: { label: "People & facts", load: () => import("./facts.js") },
  trends: { label: "Trends", load: () => import("./trends.js") },
  sleep: { label: "Sleep", load: () => import("./sleep.js") },
  admin: { label: "Banks & keys", load: () => import("./admin.js") },
};
const GO = { s: "search", t: "timeline", o: "topics", f: "facts", r: "trends", l: "sleep", b: "admin" };
const MOST_BANKS = 200;

const main = document.getElementById("main");
const by = (id) => document.getElementById(id);
let me = null;
let banks = { entries: [], next: null };
let shown = {};
let leaving = new AbortController();

// ---- addresses: #/bank/view?parameters

const read = () => {
  const [, path, query] = /^#?\/?([^?]*)\??(.*)$/s.exec(location.hash);
  const [bank, view] = path.split("/");
  let name = "";
  try { name = decodeURIComponent(bank ?? ""); } catch { /* an address that somebody made up */ }
  return { bank: name, view: view || "search", params: Object.fromEntries(new URLSearchParams(query)) };
};

const address = (bank, view, params) => {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return `#/${encodeURIComponent(bank)}/${view}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
};

// Where a view leads: within itself (null), what it shows stays and is added to.
const link = (view, params = {}) => {
  const at = read();
  return address(at.bank, view ?? at.view, view ? params : { ...at.params, ...params });
};
const go = (view, params) => {
  const to = link(view, params);
  if (to !== location.hash) location.hash = to;
};

// ---- showing

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const show = async ({ again = false } = {}) => {
  const place = read();
  if (!place.bank && banks.entries.length) {
    history.replaceState(null, "", address(banks.entries[0], place.view, place.params));
    return show();
  }
  const { m: _, ...params } = place.params;
  const want = { bank: place.bank, view: place.view, params };
  const ctx = {
    bank: bankOf(place.bank), params, me, link, go, store, boot, open: (id) => link(null, { m: id }),
    may: (role) => ["read", "write", "admin"].indexOf(role) <= ["read", "write", "admin"].indexOf(me.role),
    keeper: me.role === "admin" && me.banks.includes("*"),
    refresh: () => show({ again: true }),
  };
  if (again || !same(want, shown)) {
    leaving.abort();
    leaving = new AbortController();
    ctx.bank = bankOf(place.bank, leaving.signal);
    const moved = shown.view && shown.view !== want.view;
    const left = shown.bank !== want.bank;
    shown = want;
    around(place);
    main.setAttribute("aria-busy", "true");
    if (moved || left) quiet();
    if (moved) for (const one of document.querySelectorAll("dialog:not(.drawer)")) one.close();
    const missing = place.bank && !(await isThere(place.bank)) && (banks.entries.length > 0 || place.view !== "admin");
    if (shown !== want) return undefined;  // somebody has gone on meanwhile
    const known = Object.hasOwn(VIEWS, place.view) ? VIEWS[place.view] : { label: "No such page", load: () => ({ show: nowhere }) };
    const view = await known.load();
    if (shown !== want) return undefined;  // somebody has gone on meanwhile
    const nothing = !place.bank && place.view !== "admin";
    swap(main, nothing ? empty(ctx) : missing ? absent(ctx) : view.show(ctx));
    document.title = `${known.label} · ${place.bank || "Hippocampus"}`;
    if (moved) {
      scrollTo(0, 0);
      main.querySelector("h1")?.focus({ preventScroll: true });
    }
  }
  const { m } = read().params;  // as of now, for somebody may have gone on meanwhile
  if (m) showMemory(m, { ...ctx, bank: bankOf(place.bank) });
  else closeMemory();
  main.removeAttribute("aria-busy");
  return undefined;
};

// Whether there is such a bank; one that came to be meanwhile, or is on a later page, is listed from now on.
const isThere = async (name) => {
  if (banks.entries.includes(name)) return true;
  try {
    await bankOf(name).read("stats");
  } catch (error) {
    return error.type !== "UnknownBank";  // of other trouble the view tells
  }
  banks.entries.push(name);
  around(read());
  return true;
};

const absent = (ctx) => [
  heading("No such bank", `There is no “${ctx.bank.name}”${me.id ? ", or none that this key opens" : ""}.`),
  ctx.may("write") && h("p", h("button", { onclick: () => remember(ctx) }, "Remember something in it…")),
];

const empty = (ctx) => notice("Nothing is remembered yet",
  "A bank is one memory, usually one user of one agent. It comes to be when the first thing is remembered in it.",
  ctx.may("write") && h("button.primary", { onclick: () => first() }, "Remember something…"),
  h("p.quiet", "Or from a terminal: ", h("code", "hippocampus remember \"Lena moved to Porto.\"")));

const nowhere = (ctx) => [
  heading("No such page", "The address may have been cut short, or be of another version."),
  h("p", h("a", { href: ctx.link("search", {}) }, "Search this bank")),
];

const first = () => formDialog("Remember something", [
  field("Bank", "input", { name: "bank", required: true, value: "default" }),
  field("What was said or happened", "textarea", { name: "text", rows: 4, required: true }),
], "Remember", async ({ bank, text }) => {
  await bankOf(bank).ask("remember", { text });
  location.hash = address(bank, "timeline", {});
  await boot();
});

const around = (place) => {
  swap(by("views"), h("ul", Object.entries(VIEWS).filter(([, { of }]) => !of).map(([name, { label }]) => h("li", h("a", {
    href: address(place.bank, name, {}), "aria-current": name === (VIEWS[place.view]?.of ?? place.view) ? "page" : null,
  }, icon(name), h("span", label))))));
  foldViews();
  const listed = banks.entries.includes(place.bank);
  swap(by("bank"), banks.entries.length > 0 && h("select", {
    "aria-label": "Bank", onchange: (event) => {
      location.hash = event.target.value === "" ? address(place.bank, "admin", {}) : address(event.target.value, place.view, {});
    },
  }, !listed && option(place.bank, place.bank ? "No such bank" : "", true), banks.entries.map((name) => option(name, name, name === place.bank)), banks.next && option("", "More banks…")),
  me.role === "read" && h("span.tag", "read only"),
  me.role !== "read" && place.bank && h("button.icon-button", {
    "aria-label": "Remember something", title: "Remember something (n)", id: "new",
    onclick: () => remember({ bank: bankOf(place.bank), refresh: () => show({ again: true }) }),
  }, icon("plus")));
};

// ---- what is always there

const THEMES = ["auto", "light", "dark"];
const theme = () => document.documentElement.dataset.theme ?? "auto";
const paintTheme = () => {
  const name = { auto: "as the system", light: "light", dark: "dark" }[theme()];
  const dark = theme() === "dark" || (theme() === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  swap(by("theme"), icon(dark ? "sleep" : "light"));
  by("theme").setAttribute("aria-label", `Colours: ${name}`);
  by("theme").title = `Colours: ${name} (c)`;
};
const turnTheme = () => {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  if (next === "auto") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("hippocampus.theme");
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem("hippocampus.theme", next);
  }
  paintTheme();
};

const keys = (...all) => all.map((one) => h("kbd", one));
const help = () => dialog("Keyboard shortcuts", h("table.shortcuts", h("tbody", [
  [keys("/"), "search"],
  ...Object.entries(GO).map(([letter, view]) => [keys("g", letter), VIEWS[view].label.toLowerCase()]),
  [keys("j", "k"), "next and previous memory"], [keys("Enter"), "open it"],
  [keys("e", "p", "x"), "in a memory: correct, pin, forget"],
  [keys("← →"), "in a plot: read its values"],
  [keys("n"), "remember something"], [keys("c"), "colours"], [keys("Esc"), "close"], [keys("?"), "this list"],
].map(([pressed, does]) => h("tr", h("td", pressed), h("td", does))))));

const step = (by_) => {
  const items = [...main.querySelectorAll(".item")];
  const at = items.indexOf(document.activeElement);
  items[Math.max(0, Math.min(items.length - 1, at + by_))]?.focus();
};

let going = 0;
const pressed = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select")) return;
  const inside = document.querySelector("dialog[open]");
  if (inside) {
    const button = inside.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (button) { event.preventDefault(); button.focus(); button.click(); }  // to which one comes back
    else if (event.key === "?" && inside.matches(".drawer")) help();
    return;
  }
  if (Date.now() - going < 1500 && Object.hasOwn(GO, event.key)) {
    going = 0;
    event.preventDefault();
    go(GO[event.key], {});
    return;
  }
  const does = {
    "/": () => { if (shown.view === "search") by("q")?.focus(); else go("search", {}); },
    Escape: () => { if (by("views").classList.contains("open")) { foldViews(); by("menu").focus(); } },
    g: () => { going = Date.now(); }, j: () => step(1), k: () => step(-1), "?": help, c: turnTheme,
    n: () => (by("new") ?? main.querySelector(".notice .primary"))?.click(),
  }[event.key];
  if (does) { event.preventDefault(); does(); }
};

const foldViews = () => {
  by("views").classList.remove("open");
  by("menu").setAttribute("aria-expanded", "false");
};
by("views").addEventListener("click", (event) => event.target.closest("a") && foldViews());
by("theme").addEventListener("click", turnTheme);
by("help").addEventListener("click", help);
swap(by("menu"), icon("menu"));
by("menu").addEventListener("click", () => {
  const opened = by("views").classList.toggle("open");
  by("menu").setAttribute("aria-expanded", String(opened));
  if (opened) by("views").querySelector("a")?.focus();
});
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
document.addEventListener("keydown", pressed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintTheme);
addEventListener("hashchange", () => me && show());
addEventListener("key", () => boot());

async function boot() {
  try {
    [me, banks] = await Promise.all([store.whoami(), store.banks({ limit: MOST_BANKS })]);
    try { showIn(me.timezone); } catch { /* this browser does not know it: its own stays */ }
  } catch (error) {
    me = null;
    shown = {};
    swap(by("views"));
    swap(by("bank"));
    swap(main, heading("Hippocampus", null));
    main.append(faulted(error, boot));
    main.removeAttribute("aria-busy");
    main.querySelector("input")?.focus();
    return;
  }
  await show({ again: true });
}

paintTheme();
boot();
