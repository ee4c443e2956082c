// The reference of the REST API, made of openapi.json; every request goes to this server alone.

import { key } from "./api.js";
import { field, h, swap } from "./dom.js";

const ROOT = new URL("..", document.baseURI);
const NAMES = { read: "Reading", write: "Writing", admin: "For admins", files: "Files", store: "The store", server: "The server" };
const CHANGES = new Set(["write", "admin", "files", "store"]);

const last = (ref) => ref.split("/").pop();

// A schema in a line: what kinds of values it takes, with links to those that have a name.
const kind = (schema) => {
  if (schema === undefined) return ["anything"];
  if (schema.$ref) return [h("a", { href: `#schema-${last(schema.$ref)}` }, last(schema.$ref))];
  const choices = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.type !== "null");
  if (choices) return choices.flatMap((one, at) => (at ? [" or ", kind(one)] : kind(one)));
  if (schema.enum) return [schema.enum.map((one) => JSON.stringify(one)).join(", ")];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.prefixItems) return ["[", schema.prefixItems.flatMap((one, at) => (at ? [", ", kind(one)] : kind(one))), "]"];
  if (schema.type === "array") return ["list of ", kind(schema.items)];
  if (schema.type === "object" && schema.additionalProperties?.type) return ["object of ", kind(schema.additionalProperties)];
  return [schema.type ?? "anything"];
};

// What the documentation says of each argument and error, and the rest of it.
const parted = (text) => {
  const told = {};
  const errors = [];
  const rest = [];
  let add = null;
  let raises = false;
  for (const line of text.split("\n")) {
    const found = /^ {4}\**(\w+): (.*)/.exec(line);
    if (/^(Args|Attributes|Raises|Returns):$/.test(line)) {
      raises = line === "Raises:";
      add = null;
    } else if (found && raises) {
      errors.push(`${found[1]}: ${found[2]}`);
      add = (more) => { errors.push(`${errors.pop()} ${more}`); };
    } else if (found) {
      const [, name, meaning] = found;
      told[name] = meaning;
      add = (more) => { told[name] += ` ${more}`; };
    } else if (add && /^ {5,}\S/.test(line)) add(line.trim());
    else {
      add = null;
      raises &&= line === "";
      rest.push(line);
    }
  }
  return { told, errors, rest: rest.join("\n").replace(/\n{3,}/g, "\n\n").trim() };
};

const plain = (text) => text.replaceAll("``", "");

const table = (rows) => rows.length > 0 && h("table", null,
  h("thead", { class: "sr" }, h("tr", null, ["Name", "Kind", "Meaning"].map((name) => h("th", { scope: "col" }, name)))),
  h("tbody", null, rows.map(({ name, schema, required, text }) => h("tr", null,
    h("th", { scope: "row" }, h("code", null, name), required && h("span", { title: "required" }, " *")),
    h("td", null, kind(schema), schema?.default !== undefined && schema.default !== null
      && h("span", { class: "quiet" }, ` = ${JSON.stringify(schema.default)}`)),
    h("td", null, plain(text ?? ""))))));

const properties = (schema, told) => Object.entries(schema?.properties ?? {}).map(([name, one]) => (
  { name, schema: one, required: schema.required?.includes(name), text: told[name] ?? one.description }));

const bodyOf = (operation) => Object.entries(operation.requestBody?.content ?? {})[0] ?? [];

// ---- a request

const sent = async (method, path, operation, inputs, body, type) => {
  const url = new URL(ROOT);
  let address = path;
  const headers = {};
  for (const [one, input] of inputs) {
    if (one.in === "path") address = address.replace(`{${one.name}}`, encodeURIComponent(input.value));
    else if (input.value !== "" && one.in === "query") url.searchParams.append(one.name, input.value);
    else if (input.value !== "") headers[one.name] = input.value;
  }
  url.pathname += address.slice(1);
  if (key.get()) headers.Authorization = `Bearer ${encodeURIComponent(key.get())}`;
  if (body !== undefined) headers["Content-Type"] = type;
  const began = performance.now();
  const answer = await fetch(url, { method, headers, body });
  const words = /json|text/.test(answer.headers.get("Content-Type") ?? "");
  const text = words ? await answer.text() : `${(await answer.blob()).size} bytes`;
  return { status: answer.status, ms: Math.round(performance.now() - began), text };
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const trial = (method, path, operation) => {
  const [type, content] = bodyOf(operation);
  const inputs = (operation.parameters ?? []).map((one) => [one,
    h("input", { value: one.in === "path" ? String(one.example ?? "") : "", spellcheck: "false" })]);
  const example = content?.example;
  const area = content && h("textarea", { spellcheck: "false", "aria-label": "Body",
    value: typeof example === "string" ? example : JSON.stringify(example ?? {}, null, 2) });
  const shown = h("div", { role: "status" });
  const send = async (event) => {
    event.preventDefault();
    const drastic = method === "delete" || operation.tags.includes("admin")
      || path.endsWith("/forget") || (operation.tags.includes("store") && method !== "get");
    if (drastic && !window.confirm(`Send ${method.toUpperCase()} ${path}? It may not be undone.`)) return;
    try {
      const { status, ms, text } = await sent(method.toUpperCase(), path, operation, inputs, area?.value, type);
      swap(shown, h("p", { class: "quiet" }, `${status} in ${ms} ms`), h("pre", { tabindex: "0" }, pretty(text)));
    } catch {
      swap(shown, h("p", null, "The server does not answer."));
    }
  };
  return h("details", null, h("summary", null, "Try it"), h("form", { class: "stack", onsubmit: send },
    h("div", { class: "pair" }, inputs.map(([one, input]) => h("label", { class: "field" }, one.name, input))),
    area, h("div", { class: "row" }, h("button", { class: CHANGES.has(operation.tags[0]) ? "" : "primary" }, "Send")), shown));
};

// ---- the page

const operationOf = (document_, { method, path, operation }) => {
  const { told, errors, rest } = parted(operation.description ?? "");
  const [type, content] = bodyOf(operation);
  const takes = content?.schema?.$ref ? document_.components.schemas[last(content.schema.$ref)] : content?.schema;
  const [gives, answer] = Object.entries(operation.responses["200"].content ?? {})[0] ?? [];
  return h("section", { class: "operation stack", id: operation.operationId },
    h("h2", null, h("span", { class: `method ${method}` }, method.toUpperCase()), h("code", null, path)),
    h("p", { class: "told" }, plain(rest)),
    table((operation.parameters ?? []).map((one) => (
      { name: one.name, required: one.required, text: told[one.name] ?? one.description,
        schema: one.schema ?? Object.values(one.content)[0].schema }))),
    content && h("h3", null, "Body, ", type), table(properties(takes, told)),
    h("p", null, "Answers ", answer?.schema ? kind(answer.schema) : h("code", null, gives ?? "nothing"), "."),
    errors.length > 0 && h("ul", { class: "quiet" }, errors.map((one) => h("li", null, plain(one)))),
    trial(method, path, operation));
};

const schemaOf = ([name, schema]) => h("section", { class: "operation stack", id: `schema-${name}` },
  h("h2", null, name), schema.description && h("p", { class: "told" }, plain(parted(schema.description).rest)),
  table(properties(schema, parted(schema.description ?? "").told)) || h("p", null, kind(schema)));

const asKey = () => {
  const input = field("Key, kept in this tab alone", "input", { type: "password", autocomplete: "off", value: key.get() ?? "",
    oninput: (event) => (event.target.value ? key.set(event.target.value) : key.forget()) });
  return h("form", { class: "pair", onsubmit: (event) => event.preventDefault() }, input);
};

const show = (document_) => {
  const tags = new Map();
  for (const [path, methods] of Object.entries(document_.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "server";
      tags.set(tag, [...(tags.get(tag) ?? []), { method, path, operation }]);
    }
  }
  const schemas = Object.entries(document_.components.schemas).filter(([name]) => !name.endsWith("Arguments"));
  const order = [...new Set([...Object.keys(NAMES), ...tags.keys()])].filter((tag) => tags.has(tag));
  swap(document.getElementById("views"), order.map((tag) => [h("h2", null, NAMES[tag] ?? tag),
    h("ul", null, tags.get(tag).map(({ operation: { operationId: id } }) => h("li", null, h("a", { href: `#${id}` }, id))))]),
  h("h2", null, "Records"), h("ul", null, schemas.map(([name]) => h("li", null, h("a", { href: `#schema-${name}` }, name)))));
  const main = document.getElementById("main");
  swap(main, h("h1", null, `${document_.info.title}, REST API`), h("p", { class: "told" }, document_.info.description), asKey(),
    order.map((tag) => [h("h3", null, NAMES[tag] ?? tag), tags.get(tag).map((one) => operationOf(document_, one))]),
    h("h3", null, "Records"), schemas.map(schemaOf));
  main.removeAttribute("aria-busy");
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
};

try {
  show(await (await fetch(new URL("openapi.json", ROOT))).json());
} catch {
  swap(document.getElementById("main"), h("p", null, "The server does not answer."));
}
