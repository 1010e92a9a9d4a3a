// Draws a text with marks on it, as plain text or as the Markdown it is.

import { h } from "./dom.js";
import { softBreaks, flow } from "./flow.js";
import { leavesOf, parseMarkdown } from "./markdown.js";

/**
 * `text` is a Points, `segments` adjoining stretches of it in code points. `draw(segment, nodes, piece)` makes the node of
 * one piece: {start, end} in code points, and whether it is the `first` and the `last` of its segment that is drawn.
 */
export function drawMarked(text, segments, draw) {
  const tree = parseMarkdown(text.text);
  const soft = softBreaks(text.text);
  const leaves = tree ? leavesOf(tree) : [{ start: 0, end: text.text.length }];
  const pieces = cut(text, leaves, segments);
  const drawLeaf = (leaf) =>
    (pieces.get(leaf) ?? []).map(({ segment, start, end, first, last }) =>
      draw(segment, flow(text.text.slice(start, end), start, soft), { start: text.point(start), end: text.point(end), first, last }),
    );
  if (!tree) return leaves.map(drawLeaf).flat(Infinity);
  return [h("div", { class: "rendered" }, tree.map((node) => drawNode(node, drawLeaf)))];
}

/** For each leaf the stretches of the segments that lie in it. */
function cut(text, leaves, segments) {
  const bounds = segments.map((segment) => ({ segment, start: text.unit(segment.start), end: text.unit(segment.end) }));
  const pieces = new Map();
  const shown = new Map();
  let at = 0;
  for (const leaf of leaves) {
    while (at < bounds.length && bounds[at].end <= leaf.start) at += 1;
    for (let next = at; next < bounds.length && bounds[next].start < leaf.end; next += 1) {
      const { segment } = bounds[next];
      const piece = { segment, start: Math.max(leaf.start, bounds[next].start), end: Math.min(leaf.end, bounds[next].end) };
      // Line ends and blanks alone are no stop for a reader.
      piece.blank = !text.text.slice(piece.start, piece.end).trim();
      pieces.set(leaf, [...(pieces.get(leaf) ?? []), piece]);
      shown.set(segment, [...(shown.get(segment) ?? []), piece]);
    }
  }
  for (const list of shown.values()) {
    const worded = list.filter((piece) => !piece.blank);
    const kept = worded.length ? worded : list;
    kept[0].first = true;
    kept.at(-1).last = true;
  }
  return pieces;
}

function drawNode(node, drawLeaf) {
  if (!node.children) return drawLeaf(node);
  const inner = node.children.map((child) => drawNode(child, drawLeaf));
  switch (node.tag) {
    case "p":
      return h("p", { dir: "auto" }, inner);
    case "heading":
      // The page has its own headings; those of a text are not in its outline.
      return h("p", { class: `head level-${node.level}`, dir: "auto" }, inner);
    case "table":
      return h("div", { class: "table-box" }, h("table", {}, inner));
    case "th":
    case "td":
      return h(node.tag, { class: `to-${node.align}`, dir: "auto" }, inner);
    case "li":
      return h("li", { value: node.number, dir: "auto" }, inner);
    case "link":
      return drawLink(node, inner);
    default:
      return h(node.tag, {}, inner);
  }
}

/** A link; where its words are part of a claim they belong to the claim, and the arrow behind them leads on. */
function drawLink({ href }, inner) {
  const words = h("span", { class: "linked" }, inner);
  const to = { href, target: "_blank", rel: "noopener noreferrer" };
  if (!words.querySelector("[role=button]")) return h("a", to, inner);
  return [words, h("a", { ...to, class: "out", "aria-label": `Open ${href}`, title: href }, "\u2060↗")];
}
