// Draws a text with marks on it, as plain text or as the Markdown it is.

import { h } from "./dom.js";
import { softBreaks, flow } from "./flow.js";
import { leavesOf, parseMarkdown } from "./markdown.js";

/**
 * `text` is a Points, `segments` adjoining stretches of it in code points. `draw(segment, nodes, piece)` makes the node of
 * one piece: {start, end} in code points, and the owners whose mark `opens` and `closes` with it.
 */
export function drawMarked(text, segments, draw) {
  const tree = parseMarkdown(text.text);
  const soft = softBreaks(text.text);
  const leaves = tree ? leavesOf(tree) : [{ start: 0, end: text.text.length }];
  const pieces = cut(text, leaves, segments);
  const drawLeaf = (leaf) =>
    (pieces.get(leaf) ?? []).map(({ segment, start, end, opens = [], closes = [] }) =>
      draw(segment, flow(text.text.slice(start, end), start, soft), { start: text.point(start), end: text.point(end), opens, closes }),
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
  const worded = new Map([...shown].map(([segment, list]) => [segment, list.filter((piece) => !piece.blank)]).filter(([, list]) => list.length));
  for (const [segment, owners] of moveEdges(segments, worded, "opens")) worded.get(segment)[0].opens = owners;
  for (const [segment, owners] of moveEdges([...segments].reverse(), worded, "closes")) worded.get(segment).at(-1).closes = owners;
  return pieces;
}

/** The owners of edges for each segment with words: an edge on what is not drawn, like the bars of a table, goes on to the
 *  next stretch of its owner. */
function moveEdges(segments, worded, side) {
  const edges = new Map();
  let waiting = [];
  for (const segment of segments) {
    const here = [...new Set([...waiting, ...segment[side]])].filter((owner) => segment.owners.includes(owner)).sort((a, b) => a - b);
    waiting = worded.has(segment) ? [] : here;
    if (worded.has(segment)) edges.set(segment, here);
  }
  return edges;
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
