// What the journal tells of single memories. It may have hundreds of thousands of changes, in order of
// time, so the place to read from is looked for by halves, a change at a time.

const ACTS = ["merge", "fade", "lapse", "doubt", "clear", "annotate"];
const PAGE = 1000;
const NEAR = 200;

const after = (bank, seq, limit) => bank.read("journal", { after: seq, limit });

// A place such that the change after it holds `before`, and the last such is near.
const placeOf = async (bank, before) => {
  const holds = async (seq) => { const [one] = await after(bank, seq, 1); return Boolean(one) && before(one); };
  let low = 0, high = 1024;
  while (await holds(high)) { low = high; high *= 2; }
  while (high - low > NEAR) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle; else high = middle;
  }
  return low;
};

// What one sleep did to single memories, and why.
export const actsOf = async (night, bank) => {
  const began = Date.parse(night.at) - 1;
  const acts = [];
  for (let seq = await placeOf(bank, (one) => Date.parse(one.at) < began); acts.length < 2 * PAGE;) {
    const changes = await after(bank, seq, PAGE);
    for (const { kind, episode, detail } of changes) {
      if (ACTS.includes(kind) && detail.sleep === night.number) acts.push({ kind, episode, ...detail });
      if (kind === "slept" && detail.sleep === night.number) return acts;
    }
    if (changes.length < PAGE) break;
    seq = changes.at(-1).seq;
  }
  return acts;
};

// The memories that were hidden among the last changes and are so still, the last first.
export const hiddenLately = async (bank, most) => {
  const end = await placeOf(bank, () => true);
  const ids = new Set();
  for (const { kind, episode } of await after(bank, Math.max(0, end - PAGE + NEAR), PAGE)) {
    if (["forget", "lapse", "withdraw"].includes(kind)) ids.add(episode);
    if (["restore", "erase"].includes(kind)) ids.delete(episode);
  }
  return Promise.all([...ids].reverse().slice(0, most).map((id) => bank.read("get", { id })));
};
