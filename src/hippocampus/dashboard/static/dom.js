// Nodes from plain values. Text only ever becomes a text node: memories are what anybody has said.

const SVG = "http://www.w3.org/2000/svg";

const put = (node, children) => {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
};

const dress = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
};

// h("button.quiet", { onclick: save }, "Save"); attributes may be left out.
export const h = (tag, given, ...children) => {
  const [name, ...classes] = tag.split(".");
  const attributes = given?.constructor === Object ? given : null;
  const node = dress(put(document.createElement(name), attributes ? children : [given, children]), attributes);
  if (classes.length) node.className = classes.join(" ");
  return node;
};

// The same, for what is drawn.
export const s = (tag, attributes, ...children) =>
  dress(put(document.createElementNS(SVG, tag), children), attributes);

export const swap = (node, ...children) => {
  node.replaceChildren();
  return put(node, children);
};

let count = 0;
export const newId = (name) => `${name}-${++count}`;

// A form's field with its label; `kind` is input, select or textarea.
export const field = (label, kind, attributes = {}, ...children) => {
  const id = newId("f");
  return h("div", { class: `field ${attributes.class ?? ""}` },
    h("label", { for: id }, label), h(kind, { ...attributes, class: null, id }, ...children));
};

export const option = (value, label, selected) => h("option", { value, selected }, label);

const ICONS = {
  search: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13zM15.5 15.5L20 20",
  timeline: "M6 4v16M6 7h.01M6 17h.01M10 7h9M10 12h6M10 17h9",
  topics: "M5 12h4M13 6h-2a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2M9 12h4M13 6h6M13 12h6M13 18h6",
  facts: "M8 8a3 3 0 1 1 0-.01M19 6a2 2 0 1 1 0-.01M18 18a3 3 0 1 1 0-.01M10.6 9.6l3.2 6M11 7.6l4-1",
  trends: "M4 19h16M5 15l4-5 4 3 6-8",
  sleep: "M19 14.5A7.5 7.5 0 1 1 9.5 5a6 6 0 0 0 9.5 9.5z",
  admin: "M14.5 9.5a4 4 0 1 1-3.2 3.9L5 19.5V21h3v-2h2v-2l1.5-1.5M16 12h.01",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  light: "M12 8a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M5.6 18.4l1-1M17.4 6.6l1-1",
  plus: "M12 5v14M5 12h14",
};

export const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
  s("path", { d: ICONS[name] }));

// Words of a text that a question has, marked.
export const marked = (text, query) => {
  const words = [...new Set((query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []))]
    .filter((word) => !COMMON.has(word));
  if (!words.length) return [text];
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return text.split(wanted).map((part, at) => (at % 2 ? h("mark", part) : part));
};

const COMMON = new Set(("the and for are but not you all any can had her was one our out has him his how "
  + "its who did what when where which why with that this from they will would should there their them "
  + "then than were been have does into about nobody somebody").split(" "));
