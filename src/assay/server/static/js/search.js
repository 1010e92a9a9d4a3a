// Finding words in the sources of a reading: how often they are there, and from one place to the next.

import { bring, h } from "./dom.js";

const MOST = 2_000; // places that are looked at; more tell a reader nothing

/** A field that searches the text of `box`; the places found are lit up without touching its elements. */
export function offerSearch(box) {
  const field = h("input", { type: "search", "aria-label": "Find in the sources", placeholder: "Find in the sources", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const tally = h("span", { class: "places", role: "status" });
  const back = h("button", { type: "button", class: "quiet", "aria-label": "Previous place", onclick: () => go(-1) }, "‹");
  const on = h("button", { type: "button", class: "quiet", "aria-label": "Next place", onclick: () => go(1) }, "›");
  const steps = h("span", { class: "steps-small" }, back, tally, on);
  let found = [];
  let here = -1;
  steps.hidden = true;

  function search() {
    const words = field.value.trim();
    found = words ? findPlaces(box, words) : [];
    here = -1;
    steps.hidden = !words;
    light("found", found);
    light("found-here", []);
    back.disabled = on.disabled = !found.length;
    tally.textContent = words && !found.length ? "not there" : "";
    if (found.length) go(1);
  }

  function go(by) {
    if (!found.length) return;
    here = (here + by + found.length) % found.length;
    light("found-here", [found[here]]);
    tally.textContent = `${here + 1} of ${found.length}${found.length === MOST ? " or more" : ""}`;
    bring(box, found[here]);
  }

  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && field.value) {
      field.value = "";
      search();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    bar: h("div", { class: "search", role: "search" }, field, steps),
    leave() {
      light("found", []);
      light("found-here", []);
    },
  };
}

/** The places of a text in an element, as ranges; upper and lower case are one, and so is every kind of space. */
function findPlaces(box, words) {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += fold(node.data);
  }
  const wanted = fold(words);
  const ranges = [];
  let owner = 0;
  for (let at = text.indexOf(wanted); at >= 0 && ranges.length < MOST; at = text.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    const reach = (place) => {
      while (owner + 1 < nodes.length && nodes[owner + 1].start <= place) owner += 1;
      return [nodes[owner].node, place - nodes[owner].start];
    };
    range.setStart(...reach(at));
    const [node, last] = reach(at + wanted.length - 1);
    range.setEnd(node, last + 1);
    ranges.push(range);
  }
  return ranges;
}

/** Letters that change their length in lower case stay as they are: places must not shift. */
function fold(text) {
  const low = text.toLowerCase();
  const even = low.length === text.length ? low : [...text].map((one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join("");
  return even.replace(/\s/g, " ");
}

function light(name, ranges) {
  if (globalThis.CSS?.highlights && globalThis.Highlight) {
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  } else if (name === "found-here" && ranges.length) {
    // A browser without highlights of its own selects the words.
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(ranges[0]);
  }
}
