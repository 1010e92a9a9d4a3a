// Plots of an evaluation: reliability, scores with their intervals, and which verdict was taken for which.

import { h, s } from "./dom.js";
import { counted, percent, visible, wordOf } from "./words.js";

const SIDE = 300;
const LEFT = 44;
const LOW = 36;

/** How often a judge was right among verdicts of about the same confidence; a faithful one follows the diagonal. */
export function reliability(bins) {
  const x = (value) => LEFT + value * SIDE;
  const y = (value) => 10 + (1 - value) * SIDE;
  const most = Math.max(...bins.map((bin) => bin.n), 1);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return figure(
    "Reliability",
    "Said against true: on the diagonal, a confidence of 0.8 is right in eight of ten.",
    s(
      "svg",
      { viewBox: `0 0 ${LEFT + SIDE + 14} ${SIDE + LOW + 22}`, role: "img", "aria-label": `Reliability diagram. ${bins.map((bin) => `Confidence ${bin.confidence.toFixed(2)}, right ${percent(bin.accuracy)}, ${bin.n} verdicts`).join(". ")}.` },
      s("g", { class: "grid" }, ticks.map((tick) => [s("line", { x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }), s("line", { x1: x(tick), x2: x(tick), y1: y(0), y2: y(1) })])),
      s("line", { class: "ideal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
      bins.map((bin) => s("rect", { class: "mass", x: x(bin.low) + 1, width: x(bin.high) - x(bin.low) - 2, y: y((bin.n / most) * 0.22), height: y(0) - y((bin.n / most) * 0.22) })),
      bins.map((bin) => s("line", { class: "miss", x1: x(bin.confidence), x2: x(bin.confidence), y1: y(bin.confidence), y2: y(bin.accuracy) })),
      s("polyline", { class: "trend", points: bins.map((bin) => `${x(bin.confidence)},${y(bin.accuracy)}`).join(" ") }),
      bins.map((bin) => s("circle", { class: "bead", cx: x(bin.confidence), cy: y(bin.accuracy), r: 4 })),
      s("g", { class: "scale" }, ticks.map((tick) => [s("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick)), s("text", { x: x(tick), y: y(0) + 18, "text-anchor": "middle" }, String(tick))])),
      s("g", { class: "axis" }, s("text", { x: x(0.5), y: y(0) + 40, "text-anchor": "middle" }, "confidence"), s("text", { x: x(0) + 8, y: y(1) + 16 }, "share that was right")),
    ),
  );
}

/** One bar a set, with the interval in which the true score lies. */
export function scores(sets) {
  // On a phone the name stands over its bar instead of beside it.
  const narrow = innerWidth < 640;
  const [wide, from, row, drop] = narrow ? [340, 2, 52, 34] : [980, 250, 38, 19];
  const x = (value) => from + value * (wide - from - 60);
  const name = (set, middle) => {
    const line = `${set.name.length > 28 ? `${set.name.slice(0, 27)}…` : set.name}`;
    const terms = `${set.judge}, n ${set.n}`;
    return narrow
      ? s("text", { class: "set", x: from, y: middle - 14 }, line, s("tspan", { class: "measure", dx: 8 }, terms))
      : s("text", { class: "set", x: from - 14, y: middle + 4, "text-anchor": "end" }, s("tspan", { class: "measure" }, `${terms} `), s("tspan", { dx: 6 }, line));
  };
  return figure(
    "Scores by set",
    "The whisker is the 95 % interval.",
    s(
      "svg",
      { viewBox: `0 0 ${wide} ${sets.length * row + 26}`, role: "img", "aria-label": sets.map((set) => `${set.name}: ${set.measure} ${percent(set.value, 1)} over ${set.n}`).join(". ") },
      s("g", { class: "grid" }, [0, 0.25, 0.5, 0.75, 1].map((tick) => s("line", { x1: x(tick), x2: x(tick), y1: 0, y2: sets.length * row }))),
      sets.map((set, at) => {
        const middle = at * row + drop;
        const [low, high] = set.interval ?? [set.value, set.value];
        return s(
          "g",
          {},
          name(set, middle),
          s("rect", { class: "bar", x: x(0), y: middle - 8, width: Math.max(0, x(set.value) - x(0)), height: 16 }),
          s("path", { class: "whisker", d: `M${x(low)} ${middle}H${x(high)}M${x(low)} ${middle - 4}v8M${x(high)} ${middle - 4}v8` }),
          s("text", { class: "value", x: x(Math.max(set.value, high)) + 8, y: middle + 4 }, set.value.toFixed(3)),
        );
      }),
      s("g", { class: "scale" }, [0, 0.5, 1].map((tick) => s("text", { x: x(tick), y: sets.length * row + 18, "text-anchor": "middle" }, String(tick)))),
    ),
  );
}

/** Rows are what is true, columns what was said; the fuller a cell, the darker. */
export function confusion(counts) {
  const truths = Object.keys(counts);
  const saids = [...new Set(truths.flatMap((truth) => Object.keys(counts[truth])))];
  const cell = 84;
  const left = 120;
  const top = 44;
  return figure(
    "Taken for",
    "Each row is what was true, each column what was said.",
    s(
      "svg",
      { viewBox: `0 0 ${left + saids.length * cell + 4} ${top + truths.length * cell + 4}`, role: "img", "aria-label": truths.map((truth) => saids.map((said) => `${wordOf(truth)} taken for ${wordOf(said)}: ${counts[truth][said] ?? 0}`).join(", ")).join(". ") },
      saids.map((said, at) => s("text", { class: "set", x: left + at * cell + cell / 2, y: top - 14, "text-anchor": "middle" }, wordOf(said))),
      truths.map((truth, line) => {
        const sum = Math.max(1, saids.reduce((total, said) => total + (counts[truth][said] ?? 0), 0));
        return s(
          "g",
          {},
          s("text", { class: "set", x: left - 12, y: top + line * cell + cell / 2 + 4, "text-anchor": "end" }, wordOf(truth)),
          saids.map((said, at) => {
            const held = counts[truth][said] ?? 0;
            const part = held / sum;
            const [x, y] = [left + at * cell, top + line * cell];
            return s(
              "g",
              { class: truth === said ? "hit" : "slip-cell" },
              s("rect", { class: "cell", x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, "fill-opacity": (part * 0.3).toFixed(3) }),
              s("text", { class: "value big", x: x + cell / 2, y: y + cell / 2 + 2, "text-anchor": "middle" }, String(held)),
              s("text", { class: "measure", x: x + cell / 2, y: y + cell / 2 + 19, "text-anchor": "middle" }, percent(part)),
            );
          }),
        );
      }),
    ),
    "small",
  );
}

const figure = (title, caption, drawing, size = "") =>
  h("figure", { class: `plot ${size}` }, h("figcaption", {}, h("h3", {}, title), h("p", { class: "note" }, caption)), drawing);

export const summaryLine = (run) => visible(`${run.name || "unnamed set"} · ${run.judge} · ${counted(run.n, "row")}`);
