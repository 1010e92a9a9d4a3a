// The memory as a chart: each passage a point near what it resembles, each cluster a shape of its own.

import { h, s } from "./dom.js";
import { clip, counted, visible } from "./words.js";

const WIDE = 600;
const HIGH = 440;
const EDGE = 34;
const NAMES = 6; // clusters that are named; more names would cover the points
// Shape and tone together tell clusters apart; past these they repeat.
const SHAPES = [
  (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0-8 0z`,
  (x, y) => `M${x - 3.6} ${y - 3.6}h7.2v7.2h-7.2z`,
  (x, y) => `M${x} ${y - 5}l4.6 8.2h-9.2z`,
  (x, y) => `M${x} ${y - 5}l5 5-5 5-5-5z`,
  (x, y) => `M${x - 4.6} ${y - 4}h9.2l-4.6 8.2z`,
  (x, y) => `M${x - 1.5} ${y - 4.8}h3v3.3h3.3v3h-3.3v3.3h-3v-3.3h-3.3v-3h3.3z`,
];

/** The chart and its legend; arrow keys walk to the nearest passage in that direction. */
export function drawMap({ points = [], clusters = [], total = points.length }) {
  if (!points.length) return [h("p", { class: "empty" }, "There is nothing to draw yet.")];
  const order = new Map(clusters.map((cluster, at) => [cluster.id, at]));
  const shape = (point) => order.get(point.cluster) ?? 0;
  const placed = place(points);
  const marks = placed.map((point, number) =>
    s("path", { class: `tone-${shape(point) % 6}`, d: SHAPES[shape(point) % SHAPES.length](point.px, point.py), "data-point": number }),
  );
  const ring = s("circle", { class: "finder", r: 9, cx: -50, cy: -50 });
  const grid = [1, 2, 3, 4, 5].flatMap((part) => [
    s("line", { x1: (part * WIDE) / 6, x2: (part * WIDE) / 6, y1: 0, y2: HIGH }),
    part < 4 && s("line", { y1: (part * HIGH) / 4, y2: (part * HIGH) / 4, x1: 0, x2: WIDE }),
  ]);
  const chart = s(
    "svg",
    { class: "map", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "application", tabindex: 0, "aria-label": `Map of ${counted(points.length, "passage")}. Arrow keys go from one to the next.` },
    s("g", { class: "grid" }, grid),
    s("g", {}, marks),
    s("g", {}, placeNames(placed)),
    ring,
  );
  const reading = h("div", { class: "map-reading", role: "status", "aria-live": "polite" }, h("p", { class: "note" }, `${counted(points.length, "passage")}${total > points.length ? ` of ${total.toLocaleString("en")}` : ""} in ${counted(clusters.length || 1, "cluster")}. Point at one, or use the arrow keys.`));
  let here = -1;

  function look(number) {
    if (number < 0 || number === here) return;
    here = number;
    const point = placed[number];
    ring.setAttribute("cx", point.px);
    ring.setAttribute("cy", point.py);
    reading.replaceChildren(
      h("p", { class: "map-title" }, visible(point.title || point.document)),
      h("p", { class: "map-text" }, clip(point.text, 220)),
    );
  }

  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDE;
    const y = ((event.clientY - box.top) / box.height) * HIGH;
    look(nearest(placed, (point) => Math.hypot(point.px - x, point.py - y), 18));
  });
  chart.addEventListener("focus", () => look(here < 0 ? 0 : here));
  chart.addEventListener("keydown", (event) => {
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    if (!dx && !dy) return;
    event.preventDefault();
    const from = placed[Math.max(here, 0)];
    // Forward counts once, sideways three times: the walk keeps its direction.
    look(
      nearest(placed, (point) => {
        const ahead = (point.px - from.px) * dx + (point.py - from.py) * dy;
        const aside = Math.abs((point.px - from.px) * dy) + Math.abs((point.py - from.py) * dx);
        return point === from || ahead <= 0 ? Infinity : ahead + 3 * aside;
      }),
    );
  });
  return [chart, reading];
}

/** Both axes in the same scale, so that near stays near; the whole fills the sheet. */
function place(points) {
  const range = (values) => [Math.min(...values), Math.max(...values)];
  const [left, right] = range(points.map((point) => point.x));
  const [low, high] = range(points.map((point) => point.y));
  const scale = Math.min((WIDE - 2 * EDGE) / (right - left || 1), (HIGH - 2 * EDGE) / (high - low || 1));
  return points.map((point) => ({
    ...point,
    px: WIDE / 2 + (point.x - (left + right) / 2) * scale,
    py: HIGH / 2 - (point.y - (low + high) / 2) * scale,
  }));
}

/** The largest clusters carry the title most of their passages come from, where there is room and no other has it. */
function placeNames(placed) {
  const groups = new Map();
  for (const point of placed) groups.set(point.cluster, [...(groups.get(point.cluster) ?? []), point]);
  const taken = [];
  const given = new Set();
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, NAMES)
    .map((members) => {
      const mean = (side) => members.reduce((sum, point) => sum + point[side], 0) / members.length;
      const title = commonest(members.map((point) => point.title || point.document));
      if (given.has(title)) return null;
      given.add(title);
      const name = clip(title, 26);
      const half = name.length * 3.2;
      const x = Math.min(WIDE - half - 8, Math.max(half + 8, mean("px")));
      const y = Math.max(16, Math.min(...members.map((point) => point.py)) - 10);
      if (taken.some((other) => Math.abs(other.y - y) < 17 && Math.abs(other.x - x) < other.half + half)) return null;
      taken.push({ x, y, half });
      return s("text", { class: "place-name", x, y }, name);
    });
}

function commonest(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0][0];
}

function nearest(points, distance, limit = Infinity) {
  let best = -1;
  let least = limit;
  points.forEach((point, number) => {
    const found = distance(point);
    if (found < least) [best, least] = [number, found];
  });
  return best;
}
