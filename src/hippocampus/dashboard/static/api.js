// The public verbs over HTTP; nothing here that another client could not do.

const ROOT = new URL("..", document.baseURI);
const KEY = "hippocampus.key";

// The key stays in this tab: sessionStorage goes with it, and nothing else is told.
export const key = {
  get: () => sessionStorage.getItem(KEY),
  set: (token) => sessionStorage.setItem(KEY, token),
  forget: () => sessionStorage.removeItem(KEY),
};

export class Fault extends Error {
  constructor(status, { type = "", message = "", request_id: id = "" } = {}) {
    super(message);
    Object.assign(this, { status, type, id });
  }
}

const ask = async (path, { method = "GET", query, body, signal, lines, wait } = {}) => {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") url.searchParams.append(name, one);
  }
  const headers = {};
  if (key.get()) headers.Authorization = `Bearer ${encodeURIComponent(key.get())}`;  // whatever was pasted
  const file = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = file ? "application/octet-stream" : "application/json";
  if (wait !== undefined) headers.Prefer = `wait=${wait}`;
  if (lines) headers.Accept = "application/x-ndjson";
  let answer;
  try {
    answer = await fetch(url, { method, headers, signal, body: body === undefined || file ? body : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault(0, { message: "The server does not answer." });
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Fault(answer.status, told.error ?? { message: answer.statusText });
  }
  return answer;
};

// What reads the body of an answer, which may break off.
const whole = (reading) => reading.catch((error) => {
  throw error.name === "AbortError" ? error : new Fault(0, { message: "The server stopped in the middle of its answer." });
});

const json = async (path, options) => whole((await ask(path, options)).json());

// A list or a part of one, where the next begins, and how far the server has read if not all.
const page = async (path, options) => {
  const answer = await ask(path, options);
  const [, unread] = /: read from (.*?) memories/.exec(answer.headers.get("Degraded") ?? "") ?? [];
  return { entries: await whole(answer.json()), next: answer.headers.get("Next-Cursor"), unread };
};

// All of a list, unless so many are asked for, or it grows while it is read; what is no list comes at once.
const all = async (path, { query, ...options }) => {
  const got = await page(path, { query, ...options });
  for (let { next } = got; next && !got.unread && !query?.limit;) {
    const more = await page(path, { query: { ...query, cursor: next }, ...options });
    got.entries.push(...more.entries);
    ({ next } = more);
  }
  return got;
};

// What takes long tells how far it is, a line at a time, and then what came of it.
const told = async (path, options, progress) => {
  const answer = await ask(path, { ...options, lines: true });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", done = false; !done;) {
    const read = await whole(reader.read());
    done = read.done;
    const lines = (rest + (read.value ?? "")).split("\n");
    rest = lines.pop();
    for (const line of lines.filter(Boolean).map((text) => JSON.parse(text))) {
      if (line.error) throw new Fault(500, line.error);
      if (line.progress) progress(line.progress.done, line.progress.total);
      else return line.result;
    }
  }
  throw new Fault(0, { message: "The server stopped in the middle of its answer." });
};

const saved = async (path, name) => {
  const blob = await whole((await ask(path)).blob());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

export const store = {
  whoami: () => json("v1/whoami"),
  banks: (query) => page("v1/banks", { query }),
  keys: () => json("v1/keys"),
  createKey: (body) => json("v1/keys", { method: "POST", body }),
  rotateKey: (id, body) => json(`v1/keys/${encodeURIComponent(id)}/rotate`, { method: "POST", body }),
  revokeKey: (id) => json(`v1/keys/${encodeURIComponent(id)}`, { method: "DELETE" }),
};

export const bankOf = (name, signal) => {
  const at = (verb) => `v1/banks/${encodeURIComponent(name)}/${verb}`;
  return {
    name,
    read: async (verb, query) => (await all(at(verb), { query, signal })).entries,
    partly: (verb, query, wait) => all(at(verb), { query, signal, wait }),
    page: (verb, query) => page(at(verb), { query, signal }),
    ask: (verb, body) => json(at(verb), { method: "POST", body, signal }),
    told: (verb, body, progress) => told(at(verb), { method: "POST", body, signal }, progress),
    take: (file, progress) => told(at("import"), {
      method: "POST", body: file, query: { name: file.name, modified: new Date(file.lastModified).toISOString() },
    }, progress),
    save: (verb, file) => saved(at(verb), file),
    erase: () => json(`v1/banks/${encodeURIComponent(name)}`, { method: "DELETE" }),
  };
};
