// Small instruments: the vernier that shows a confidence, and the hallmark that sums up a report.

import { h, punch, s } from "./dom.js";
import { clip, plain, share, signOf, visible } from "./words.js";

/** A ruler from 0 to 1 with a hand at the value. */
export function vernier(value) {
  const at = (part) => 4 + part * 112;
  const ticks = Array.from({ length: 21 }, (_, tick) =>
    s("line", { x1: at(tick / 20), x2: at(tick / 20), y1: 16, y2: tick % 10 === 0 ? 6 : tick % 2 === 0 ? 10 : 13 }),
  );
  return s(
    "svg",
    { class: "vernier", viewBox: "0 0 120 22", role: "img", "aria-label": `confidence ${share(value)}` },
    s("g", { class: "ticks" }, ticks, s("line", { x1: at(0), x2: at(1), y1: 16, y2: 16 })),
    typeof value === "number" &&
      s("path", { class: "hand", d: `M${at(value)} 2V16M${at(value) - 3.2} 21.5l3.2-5 3.2 5z` }),
  );
}

/** How the claims came out, as one bar: each part has the line of its verdict beside its colour. */
export function outcomeBar(report, verdicts) {
  const counts = report.counts ?? {};
  const all = verdicts.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
  if (!all) return null;
  let at = 0;
  const parts = verdicts
    .filter((verdict) => counts[verdict])
    .map((verdict) => {
      const width = (600 * counts[verdict]) / all;
      const part = s("rect", { class: `part ${signOf(verdict).name}`, x: at, y: 0, width: Math.max(1, width - 3), height: 12 });
      at += width;
      return part;
    });
  const said = verdicts.filter((verdict) => counts[verdict]).map((verdict) => `${counts[verdict]} ${signOf(verdict).word}`);
  return s("svg", { class: "outcome-bar", viewBox: "0 0 600 12", preserveAspectRatio: "none", role: "img", "aria-label": said.join(", ") }, parts);
}

/** The punches struck on a report: verdict, coverage in thousandths as fineness is given, mode, and who judged. */
export function hallmark(report) {
  const sign = signOf(report.verdict);
  const fineness = typeof report.coverage === "number" ? String(Math.floor(report.coverage * 1000 + 1e-6)) : "—";
  return h(
    "ul",
    { class: "hallmark", "aria-label": "Hallmark" },
    struck(punch(sign.name), sign.word, sign.name),
    struck(cartouche("oval", fineness), "coverage, ‰"),
    struck(cartouche("barrel", visible(report.audit_mode ?? "")), "audit mode"),
    struck(cartouche("plate", clip(String(report.model ?? "").split(/[@ ]/)[0] || "—", 18)), "judged by"),
    report.action && report.action !== "CONTINUE" && struck(cartouche("shield", visible(report.action)), "action"),
  );
}

const struck = (mark, caption, name = "") =>
  h("li", { class: `struck ${name}` }, h("span", { class: "die" }, mark), h("span", { class: "caption" }, plain(caption)));

const OUTLINES = {
  oval: (w) => `M20 2H${w - 20}a18 18 0 0 1 0 36H20a18 18 0 0 1 0-36z`,
  barrel: (w) => `M10 2H${w - 10}q7 18 0 36H10q-7-18 0-36z`,
  plate: (w) => `M8 2H${w - 8}a6 6 0 0 0 6 6v24a6 6 0 0 0-6 6H8a6 6 0 0 0-6-6V8a6 6 0 0 0 6-6z`,
  shield: (w) => `M3 2H${w - 3}v20q0 10-${w / 2 - 3} 16q-${w / 2 - 3}-6-${w / 2 - 3}-16z`,
};

function cartouche(outline, text) {
  const width = Math.max(56, text.length * 9.6 + 30);
  return s(
    "svg",
    { class: `cartouche ${outline}`, viewBox: `0 0 ${width} 40`, width, height: 40, role: "img", "aria-label": text },
    s("path", { d: OUTLINES[outline](width) }),
    s("text", { x: width / 2, y: outline === "shield" ? 22 : 25.5, "text-anchor": "middle" }, text),
  );
}
