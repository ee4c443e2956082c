// How numbers, moments and words of the engine read to people. Moments are shown in the zone in which the store
// reads days: so a day is the same in a note, in a filter, and wherever one looks from.

const wholeFormat = new Intl.NumberFormat("en-GB");
const SHOWN = {
  day: { day: "numeric", month: "short", year: "numeric" },
  longDay: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
  time: { hour: "2-digit", minute: "2-digit" },
  month: { month: "short", year: "numeric" },
  year: { year: "numeric" },
};
let formats;
export const showIn = (timeZone) => {
  formats = Object.fromEntries(Object.entries(SHOWN).map(([name, how]) => [name, new Intl.DateTimeFormat("en-GB", { ...how, timeZone })]));
};
showIn();
export const zoneName = () => worded(formats.day.resolvedOptions().timeZone);

const shown = (how) => (iso) => formats[how].format(new Date(iso));
export const day = shown("day");
export const longDay = shown("longDay");
export const month = shown("month");
export const year = shown("year");
// A note of a day, without a time of it, is at its midnight.
export const time = (iso) => (shown("time")(iso) === "00:00" && /:00(?:\.0+)?(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? "" : shown("time")(iso));
export const moment = (iso) => (iso ? [day(iso), time(iso)].filter(Boolean).join(", ") : "");
export const whole = (n) => wholeFormat.format(n);
export const percent = (share) => `${Math.round(share * 100)}\u202f%`;
export const ms = (seconds) => (seconds < 1 ? `${(seconds * 1e3).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(1)} s`);
export const counted = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;
export const memories = (n) => counted(n, "memory", "memories");
export const bytes = (n) => {
  const steps = ["B", "kB", "MB", "GB"];
  let at = 0;
  for (; n >= 1000 && at < steps.length - 1; at++) n /= 1000;
  return `${at && n < 10 ? n.toFixed(1) : Math.round(n)} ${steps[at]}`;
};
export const worded = (name) => name.replaceAll("_", " ");

export const stretch = ({ start, end }) => {
  if (!start && !end) return "any time";
  if (!end) return `from ${day(start)}`;
  const last = new Date(new Date(end) - 1);  // an end is exclusive
  if (!start) return `until ${day(last)}`;
  return formats.day.formatRange(new Date(start), last);
};

// What each cue, and what else counts, looks at: [in a word, in a sentence].
export const CUES = {
  lexical: ["words", "the question's own words are in it, the rare ones counting most (BM25)"],
  vector: ["meaning", "it means something near the question, whatever the words"],
  tokens: ["phrasing", "its tokens answer those of the question one by one (late interaction)"],
  signature: ["keywords", "the question's keywords are near it, by token signatures"],
  time: ["time", "it is of the time that the question names"],
  topic: ["topic", "it is under a topic that the question is about"],
  concept: ["concept", "it gathers around something that the question calls up"],
  graph: ["names", "it shares names with what was found first"],
  names: ["names", "it is reached by names that the best hits hold"],
  events: ["events", "it tells of an event that the question counts"],
  facts: ["facts", "what it tells is so now, or was what is asked"],
  currency: ["currency", "it is the newest, or the first, of what was said on the matter"],
  standing: ["wishes", "it tells what is wished, barred or ruled from now on"],
  neighbours: ["neighbours", "the turns around it fit the question"],
  speaker: ["speaker", "whom the question is about says it"],
  news: ["novelty", "it says something for the first time, tells a deed, or introduces who is asked about"],
  session: ["conversation", "its whole conversation is about the question"],
  gist: ["gist", "what it came to, with others, fits the question"],
  outcome: ["use", "it has helped before"],
  alike: ["alike", "it is like the best hits, where several things are asked for"],
  occasion: ["occasion", "it tells of the last, or first, time that it took place"],
  possession: ["possession", "it names the owner and what is asked of them"],
  choice: ["choice", "it takes a side in the choice that the question puts, or names the other side"],
  answering: ["answer", "it says something where what is nearest only asks the same"],
  feedback: ["agreement", "it has the rare words that the best hits share"],
};
export const cueName = (cue) => CUES[cue]?.[0] ?? worded(cue);

export const LEVELS = ["whole", "without ornament", "half", "a quarter", "keywords"];
