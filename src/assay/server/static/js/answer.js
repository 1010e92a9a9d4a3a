// Draws an answer with each claim marked: a line of its own style under the words, and a numbered punch behind them.

import { differingNumbers } from "./decisive.js";
import { h, punch } from "./dom.js";
import { Points, pointsIn } from "./points.js";
import { drawMarked } from "./rendered.js";
import { splitSegments } from "./segments.js";
import { clip, describe, gravest, signOf } from "./words.js";

/** The answer as nodes; `claims` are findings of the report, in its order. */
export function drawAnswer(answer, claims) {
  const text = new Points(answer);
  const marks = claims.flatMap((claim, owner) => claim.spans.map(({ start, end }) => ({ start, end, owner })));
  const strong = claims.flatMap((claim) => decisiveWords(text, claim));
  const cited = [...new Set(answer.match(CITED) ?? [])];
  const segments = splitSegments(text.length, marks, strong);
  return drawMarked(text, segments, (segment, nodes, piece) => drawPiece(nodes, cited, claims, segment, piece));
}

/** What the judge named, else the numbers in which a refuting quote differs. */
function decisiveWords(text, claim) {
  const named = claim.unsupported_spans ?? [];
  const against = (claim.evidence ?? []).find((item) => item.stance === "refutes");
  if (named.length || claim.verdict !== "REFUTED" || !against) return named;
  return claim.spans.flatMap(({ start, end }) => {
    const words = text.slice(start, end);
    const found = differingNumbers(words, against.quote).claim;
    return found.map((word) => ({ start: start + pointsIn(words, word.start), end: start + pointsIn(words, word.end) }));
  });
}

function drawPiece(nodes, cited, claims, segment, piece) {
  const shown = nodes.flatMap((node) => quieten(node, cited));
  if (!segment.owners.length) return shown;
  const lead = gravest(claims, segment.owners);
  const claim = claims[lead];
  // A claim in several pieces is one stop for the keyboard: the piece where it begins.
  const stop = piece.opens.includes(lead);
  // The stop says the whole claim, any other piece its own words.
  const words = stop ? claim.text : nodes.map((node) => node.textContent ?? node).join("");
  return h(
    "span",
    {
      class: `claim ${signOf(claim.verdict).name}`,
      role: "button",
      tabindex: stop ? 0 : -1,
      "data-claims": segment.owners.join(" "),
      "data-lead": lead,
      "data-start": piece.start,
      "aria-pressed": "false",
      "aria-label": `Claim ${lead + 1}, ${describe(claim)}: ${clip(words, 300)}`,
    },
    h("span", { class: "words" }, segment.strong ? h("b", {}, shown) : shown),
    piece.closes.map((number) => raised(claims[number], number)),
  );
}

// Anchors stay in the text, set small: they are for the machine first. "[cite:db4906ae]" says nothing to a reader and is
// drawn as a number, in the order in which sources are cited; its own letters are still there to copy.
const CITED = /\[cite:[\w-]+\]/g;
const ANCHOR = /(\[(?:cite:[\w-]+|E?\d+(?:,\s*E?\d+)*)\])/;

function quieten(node, cited) {
  if (typeof node !== "string") return node;
  return node.split(ANCHOR).map((part, at) => (at % 2 ? anchor(part, cited.indexOf(part) + 1) : part)).filter(Boolean);
}

const anchor = (words, number) =>
  number ? h("span", { class: "anchor numbered", "data-number": number, title: words }, h("span", {}, words)) : h("span", { class: "anchor" }, words);

function raised(claim, number) {
  const sign = signOf(claim.verdict).name;
  // The word joiner keeps the punch on the line of the last word.
  return h("span", { class: `raised ${sign}`, "aria-hidden": "true" }, "\u2060", punch(sign), String(number + 1));
}
