// What a careful eye finds wrong: text cut off or over other text, too faint, things without names.
() => {
  const flaws = [];
  const scope = document.querySelector("dialog[open]:last-of-type") ?? document.body;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) flaws.push(`the page is ${root.scrollWidth} px wide in ${root.clientWidth}`);
  const shown = (n) => n.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !n.closest(".sr, .skip");
  const told = (n) => `${n.tagName.toLowerCase()}.${n.getAttribute("class") ?? ""} “${n.textContent.trim().slice(0, 40)}”`;

  for (const n of scope.querySelectorAll("*")) {
    if (!shown(n) || n.closest("svg, pre, select, textarea, input") || !n.textContent.trim()) continue;
    const { display } = getComputedStyle(n);
    if (display === "inline" || n.hasAttribute("tabindex")) continue;  // the last can be scrolled
    if (n.scrollWidth > n.clientWidth + 1 && n.clientWidth) flaws.push(`cut off: ${told(n)} ${n.scrollWidth} in ${n.clientWidth}`);
  }

  // Every line of text as boxes, as far as they can be seen.
  const boxes = [];
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const n = text.parentElement;
    if (!text.data.trim() || !shown(n) || n.closest("select, textarea, option, datalist, noscript, title, #toasts")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const clip = { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 };
    for (let up = n; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowY === "visible") continue;
      const box = up.getBoundingClientRect();
      clip.top = Math.max(clip.top, box.top); clip.bottom = Math.min(clip.bottom, box.bottom);
      clip.left = Math.max(clip.left, box.left); clip.right = Math.min(clip.right, box.right);
    }
    for (const box of range.getClientRects()) {
      const seen = {
        n, left: Math.max(box.left, clip.left), right: Math.min(box.right, clip.right),
        top: Math.max(box.top, clip.top), bottom: Math.min(box.bottom, clip.bottom),
      };
      if (seen.right - seen.left > 1 && seen.bottom - seen.top > 4) boxes.push(seen);
      if (n.closest("svg") && (box.left < n.closest("svg").getBoundingClientRect().left - 1 || box.right > n.closest("svg").getBoundingClientRect().right + 1)) {
        flaws.push(`outside its drawing: ${told(n)}`);
      }
    }
  }
  const staying = (n) => {  // what stays while the rest scrolls under it
    for (let up = n; up; up = up.parentElement) if (["sticky", "fixed"].includes(getComputedStyle(up).position)) return up;
    return null;
  };
  boxes.forEach((box) => { box.stays = staying(box.n); });
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
      const b = boxes[j];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (a.n !== b.n && a.stays === b.stays && wide > 2 && tall > 5) flaws.push(`overlap: ${told(a.n)} and ${told(b.n)}`);
    }
  });

  // Contrast, of what is written with what is behind it (WCAG 2.2, 1.4.3).
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((v, i) => (i === 3 ? v / 255 : v));
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const behind = (n) => {
    const layers = [];
    for (let up = n; up; up = up.parentElement) layers.push(rgba(getComputedStyle(up).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255, 1]);
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  for (const n of new Set(boxes.map((box) => box.n))) {
    const style = getComputedStyle(n);
    const back = behind(n);
    const front = over(rgba(n.closest("svg") ? style.fill : style.color), back);
    const [dark, bright] = [light(front), light(back)].sort((a, b) => a - b);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 600);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5)) flaws.push(`faint, ${ratio.toFixed(2)}: ${told(n)}`);
  }

  // Names, for who hears the page.
  for (const n of scope.querySelectorAll("button, a[href], input, select, textarea, summary, dialog, [role=img], [role=region]")) {
    if (!shown(n)) continue;
    const by = n.getAttribute("aria-labelledby");
    const name = n.getAttribute("aria-label") ?? (by && document.getElementById(by)?.textContent)
      ?? (n.labels?.length ? [...n.labels].map((label) => label.textContent).join(" ") : n.matches("input, select, textarea, [role=img]") ? "" : n.innerText ?? n.textContent);  // what is hidden names nothing
    if (!name.trim()) flaws.push(`without a name: ${told(n)} ${n.id}`);
    const box = n.getBoundingClientRect();
    if (n.matches("button, select, input:not([type=checkbox])") && (box.height < 24 || box.width < 24)) flaws.push(`too small to touch: ${told(n)}`);
  }
  for (const n of scope.querySelectorAll("img:not([alt])")) flaws.push(`a picture without words: ${n.src}`);
  if (document.querySelectorAll("main h1").length > 1) flaws.push("more than one title");
  const ids = [...document.querySelectorAll("[id]")].map((n) => n.id);
  for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) flaws.push(`the id ${id} twice`);
  if (!document.documentElement.lang) flaws.push("no language");
  return flaws.slice(0, 10);
}
