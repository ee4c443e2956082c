// Plots drawn by hand: axes with units, values to read by pointer, by arrow keys, and as a table.

import { h, newId, s, swap } from "./dom.js";
import { whole } from "./format.js";

const niceStep = (span, most) => {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
};

const ticks = (top, most, whole_) => {
  const step = Math.max(whole_ ? 1 : 0, niceStep(top, most));
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, at) => at * step);
};

/*
 * One plot of points (x: number, y: number), as steps of bars or as a line.
 *
 * kind: "bars" | "line"; top: of the y axis; yLabel, xLabel: with their units; xTicks: [[x, text]];
 * read: a point in words; lines: more lines to compare with, [{points, label, dashed}];
 * marks: [{x, y, label}]; bands: [{from, to, label}]; whole: whether y counts something.
 */
export const plot = (how) => {
  const { points, kind = "bars", height = 190, label } = how;
  const readout = h("p.readout.num", { "aria-live": "polite" }, how.hint ?? "\u00a0");
  const frame = h("div.plot");
  const node = h("figure.figure-plot", how.title && h("figcaption", how.title), frame, readout);
  let at = -1;
  let drawn = null;

  const draw = (width) => {
    const left = 46, right = 12, top = how.marks?.length ? 30 : 12, bottom = how.xLabel ? 42 : 26;
    const inner = width - left - right, tall = height - top - bottom;
    const [x0, x1] = how.xRange ?? [points[0].x, points.at(-1).x];
    const most = how.top ?? Math.max(1, ...points.map((p) => p.y));
    const slot = kind === "bars" ? inner / points.length : 0;
    const X = (x) => left + ((x - x0) / (x1 - x0 || 1)) * (inner - slot) + slot / 2;
    const Y = (y) => top + tall * (1 - Math.min(y, most) / most);
    const svg = s("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: "0", "aria-label": label,
    });
    for (const band of how.bands ?? []) {
      const from = Math.max(x0, band.from), to = Math.min(x1, band.to);
      if (to <= from) continue;
      svg.append(s("rect", { class: "band", x: X(from), y: top, width: X(to) - X(from), height: tall }));
      if (X(to) - X(from) > band.label.length * 7) svg.append(s("text", { class: "band-label", x: X(to) - 6, y: top + 14 }, band.label));
    }
    for (const y of ticks(most, Math.max(2, Math.floor(tall / 40)), how.whole)) {
      svg.append(s("line", { class: y ? "rule" : "base", x1: left, x2: width - right, y1: Y(y), y2: Y(y) }),
        s("text", { class: "y", x: left - 8, y: Y(y) + 4 }, how.yText ? how.yText(y) : whole(y)));
    }
    let end = -Infinity;
    for (const [x, text] of how.xTicks) {
      const place = Math.min(X(x), width - right - text.length * 3.2);
      if (place - text.length * 3.4 < end) continue;
      end = place + text.length * 3.4 + 10;
      svg.append(s("line", { class: "tick", x1: X(x), x2: X(x), y1: top + tall, y2: top + tall + 5 }),
        s("text", { class: "x", x: Math.max(place, left + text.length * 1.5), y: top + tall + 19 }, text));
    }
    if (how.xLabel) svg.append(s("text", { class: "axis", x: left + inner / 2, y: height - 4 }, how.xLabel));
    if (kind === "bars") {
      const wide = Math.max(1, Math.min(28, slot * 0.78));
      for (const p of points) if (p.y > 0) {
        svg.append(s("rect", { class: "column", x: X(p.x) - wide / 2, y: Y(p.y), width: wide, height: Y(0) - Y(p.y), rx: Math.min(2, wide / 3) }));
      }
    } else {
      const path = (all) => all.map((p, i) => `${i ? "L" : "M"}${X(p.x).toFixed(1)},${Y(p.y).toFixed(1)}`).join("");
      for (const line of how.lines ?? []) svg.append(s("path", { class: "curve aside", d: path(line.points) }));
      svg.append(s("path", { class: "under", d: `${path(points)}L${X(points.at(-1).x)},${Y(0)}L${X(points[0].x)},${Y(0)}Z` }),
        s("path", { class: "curve", d: path(points) }));
    }
    const taken = [];  // where words stand already, so that those of things near each other do not meet
    for (const mark of how.marks ?? []) {
      if (mark.x < x0 || mark.x > x1) continue;
      if (mark.rule) svg.append(s("line", { class: "now", x1: X(mark.x), x2: X(mark.x), y1: top, y2: top + tall }));
      else svg.append(s("circle", { class: "mark", cx: X(mark.x), cy: Y(mark.y), r: 4.5 }));
      const wide = mark.label.length * 6.6, over = X(mark.x) + 8 + wide > width;
      const from = over ? X(mark.x) - 8 - wide : X(mark.x) + 8;
      let y = mark.rule ? top - 10 : Math.max(top - 10, Y(mark.y) - 10);
      while (taken.some((one) => Math.abs(one.y - y) < 15 && one.from < from + wide && from < one.to)) y += 15;
      taken.push({ y, from, to: from + wide });
      svg.append(s("text", { class: over ? "mark-label end" : "mark-label", x: X(mark.x) + (over ? -8 : 8), y }, mark.label));
    }
    const hair = s("line", { class: "hair", y1: top, y2: top + tall, visibility: "hidden" });
    svg.append(hair);
    const point = (next) => {
      at = Math.max(0, Math.min(points.length - 1, next));
      const p = points[at];
      hair.setAttribute("x1", X(p.x));
      hair.setAttribute("x2", X(p.x));
      hair.setAttribute("visibility", "visible");
      readout.textContent = how.read(p);
    };
    const away = () => { hair.setAttribute("visibility", "hidden"); readout.textContent = how.hint ?? "\u00a0"; };
    svg.addEventListener("pointermove", (event) => {
      const x = event.clientX - svg.getBoundingClientRect().left;
      const share = (x - left - slot / 2) / ((inner - slot) || 1);
      const wanted = x0 + share * (x1 - x0);
      let best = 0;
      points.forEach((p, i) => { if (Math.abs(p.x - wanted) < Math.abs(points[best].x - wanted)) best = i; });
      point(best);
    });
    svg.addEventListener("pointerleave", away);
    svg.addEventListener("blur", away);
    svg.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: points.length - 1 }[event.key];
      if (to !== undefined) { event.preventDefault(); point(to); }
    });
    swap(frame, svg);
  };
  new ResizeObserver(([{ contentRect: { width } }]) => {
    const to = Math.floor(width);
    if (to > 0 && to !== drawn) { drawn = to; draw(to); }
  }).observe(frame);
  return node;
};

// The numbers of a plot, for who would rather read them.
export const numbers = (head, rows) => {
  const id = newId("numbers");
  return h("details.numbers", h("summary", { id }, "The numbers"),
    h("div.scroll", { tabindex: "0", role: "region", "aria-labelledby": id }, h("table.data",
      h("thead", h("tr", head.map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", rows.map((row) => h("tr", row.map((one, at) => (at ? h("td.num", one) : h("th", { scope: "row" }, one)))))))));
};
