// Lets hard-wrapped text flow: a line end inside a paragraph stays in the text, but is drawn as a space.

import { h } from "./dom.js";
import { visible } from "./words.js";

const WRAPPED = 50; // a shorter line was ended on purpose: verse, an address, a heading
const ITEM = /^(?:[ \t]|[-*+•>|#]|\d{1,3}[.)]\s)/;

/** UTF-16 offsets of the line ends that only wrap a paragraph. */
export function softBreaks(text) {
  const soft = new Set();
  let begin = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    const next = text.slice(at + 1, at + 6);
    if (at - begin >= WRAPPED && next && !next.startsWith("\n") && !next.startsWith("\r") && !ITEM.test(next)) soft.add(at);
    begin = at + 1;
  }
  return soft;
}

/** A stretch of text as nodes; `from` is where it begins in the text whose soft line ends are known. */
export function flow(words, from, soft) {
  const nodes = [];
  let done = 0;
  for (let at = words.indexOf("\n"); at >= 0; at = words.indexOf("\n", at + 1)) {
    if (!soft.has(from + at)) continue;
    nodes.push(visible(words.slice(done, at)), h("span", { class: "soft" }, "\n"));
    done = at + 1;
  }
  return [...nodes, visible(words.slice(done))].filter((node) => node !== "");
}
