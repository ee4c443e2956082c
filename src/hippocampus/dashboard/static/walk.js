// A graph seen from one of its nodes: what leads to it, it, and what it leads to.

import { h, s, swap } from "./dom.js";

const node = ({ label, note, count, href, over }) => h("li", h("a.node.item", { href },
  h("span", { class: over ? "over" : null }, label, count !== undefined && h("span.num", `  ${count}`)), note && h("small", note)));

const side = (title, all, none) => h("div", h("h3", title),
  all.length ? h("ul", all.map(node)) : h("p.quiet", none));

export const walk = ({ before, here, after }) => {
  const drawn = s("svg", { "aria-hidden": "true" });
  const middle = h("div.node.here", here.label, here.note && h("small", here.note));
  const sides = [side(...before), side(...after)];
  const root = before[1].length === 0;
  const all = h("div", { class: root ? "walk root" : "walk" }, drawn, root ? null : sides[0], middle, sides[1]);
  new ResizeObserver(() => {
    const at = all.getBoundingClientRect();
    const place = (one) => {
      const box = one.getBoundingClientRect();
      return { left: box.left - at.left, right: box.right - at.left, y: box.top + box.height / 2 - at.top };
    };
    const to = place(middle);
    const curve = (x1, y1, x2, y2) => s("path", { d: `M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}` });
    swap(drawn,
      root ? [] : [...sides[0].querySelectorAll(".node")].map(place).map((from) => curve(from.right, from.y, to.left, to.y)),
      [...sides[1].querySelectorAll(".node")].map(place).map((from) => curve(to.right, to.y, from.left, from.y)));
  }).observe(all);
  return all;
};

// Half of what a label takes, with room around it; the widest letters take half as much again.
const halfOf = (label) => [...label].reduce((sum, letter) => sum + (/[MWmw@]/.test(letter) ? 5.6 : 3.3), 5);

/*
 * All of a graph at a glance. nodes: [{ name, size, href, aside }], edges: [[from, to]] by place.
 * Where they lie is settled by springs and by keeping names apart, the same each time.
 */
export const map = (nodes, edges, label) => {
  const frame = h("div.map");
  let drawn = 0;
  const draw = (width) => {
    const height = Math.round(Math.max(300, Math.min(width * 0.6, 130 + 75 * Math.sqrt(nodes.length))));
    const some = nodes.slice(0, width < 500 ? 14 : 36).map((one) => ({ ...one, label: brief(one.name, Math.min(32, width / 16)) }));
    const most = Math.max(...some.map((one) => one.size));
    const at = some.map((one, i) => {
      const angle = i * 2.399963, far = Math.sqrt((i + 0.5) / some.length) * 0.42;
      return {
        x: width * (0.5 + far * Math.cos(angle)), y: height * (0.5 + far * Math.sin(angle)),
        r: 4 + 9 * Math.sqrt(one.size / most), half: halfOf(one.label),
      };
    });
    const kept = edges.filter(([a, b]) => a < some.length && b < some.length && a !== b);
    const near = Math.min(95, Math.sqrt((width * height) / some.length) * 0.6);
    for (let turn = 0; turn < 320; turn++) {
      const heat = 1 - turn / 320;
      const push = at.map(() => [0, 0]);
      for (let i = 0; i < at.length; i++) for (let j = i + 1; j < at.length; j++) {
        const dx = at[i].x - at[j].x || 0.01, dy = (at[i].y - at[j].y) || 0.01;
        const far = Math.max(1, Math.hypot(dx, dy)), force = (near * near) / far / far * 0.6;
        push[i][0] += dx * force; push[i][1] += dy * force;
        push[j][0] -= dx * force; push[j][1] -= dy * force;
      }
      for (const [a, b] of kept) {
        const dx = at[a].x - at[b].x, dy = at[a].y - at[b].y, pull = Math.hypot(dx, dy) / near / 2;
        push[a][0] -= dx * pull; push[a][1] -= dy * pull;
        push[b][0] += dx * pull; push[b][1] += dy * pull;
      }
      at.forEach((one, i) => {
        push[i][0] += (width / 2 - one.x) * 0.5;
        push[i][1] += (height / 2 - one.y) * 0.5 * (width / height);
        const far = Math.max(1, Math.hypot(...push[i])), go = Math.min(far, 14 * heat + 0.5) / far;
        one.x += push[i][0] * go;
        one.y += push[i][1] * go;
      });
      apart(at, width, height);
    }
    for (let turn = 0; turn < 200 && apart(at, width, height); turn++);
    swap(frame, s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": label },
      kept.map(([a, b]) => s("line", { x1: at[a].x, y1: at[a].y, x2: at[b].x, y2: at[b].y })),
      some.map((one, i) => s("a", { href: one.href, class: one.aside ? "item aside" : "item", "aria-label": one.name },
        s("circle", { cx: at[i].x, cy: at[i].y, r: at[i].r }),
        s("text", { x: at[i].x, y: at[i].y + at[i].r + 13 }, one.label)))));
  };
  new ResizeObserver(([{ contentRect: { width } }]) => {
    if (width > 0 && Math.floor(width) !== drawn) draw(drawn = Math.floor(width));
  }).observe(frame);
  return frame;
};

const brief = (name, most) => (name.length > most ? `${[...name].slice(0, most - 1).join("")}…` : name);

// Push apart what would overlap, names with their circles as boxes; whether there was anything.
const apart = (at, width, height) => {
  let moved = false;
  for (let i = 0; i < at.length; i++) for (let j = i + 1; j < at.length; j++) {
    const a = at[i], b = at[j];
    const dx = b.x - a.x, dy = b.y - a.y + (b.r - a.r) / 4;
    const wide = Math.max(a.half, a.r) + Math.max(b.half, b.r) - Math.abs(dx);
    const tall = (a.r + b.r) + 18 - Math.abs(dy);
    if (wide <= 0 || tall <= 0) continue;
    moved = true;
    if (tall < wide) { const by = (tall / 2 + 0.5) * (dy < 0 ? -1 : 1); a.y -= by; b.y += by; }
    else { const by = (wide / 2 + 0.5) * (dx < 0 ? -1 : 1); a.x -= by; b.x += by; }
  }
  for (const one of at) {
    const edge = Math.max(one.half, one.r) + 4;
    one.x = Math.max(edge, Math.min(width - edge, one.x));
    one.y = Math.max(one.r + 6, Math.min(height - one.r - 20, one.y));
  }
  return moved;
};
