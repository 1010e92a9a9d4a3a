// Draws the sources whole, with every quote that a finding leans on marked where it stands.

import { differingNumbers } from "./decisive.js";
import { h } from "./dom.js";
import { Points, pointsIn } from "./points.js";
import { drawMarked } from "./rendered.js";
import { splitSegments } from "./segments.js";
import { STANCES, counted, visible } from "./words.js";

/** The evidence of all claims, one entry for each quote, with whether the quote really stands where it says. */
export function listQuotes(claims, documents) {
  const texts = new Map(documents.map((document) => [document.id, new Points(document.text ?? "")]));
  return claims.flatMap((claim, number) =>
    (claim.evidence ?? []).map((item, order) => {
      const text = texts.get(item.document);
      const holds = text ? text.slice(item.start, item.end) === item.quote : null;
      return { id: `quote-${number}-${order}`, claim: number, order, item, holds };
    }),
  );
}

/** One section for each document. */
export function drawSources(documents, claims, quotes) {
  if (!documents.length) return [h("p", { class: "note" }, "No source was given, so nothing could be backed.")];
  return documents.map((document) => {
    const own = quotes.filter((quote) => quote.item.document === document.id && quote.holds);
    const text = new Points(document.text ?? "");
    const title = document.title && document.title !== document.id ? document.title : "";
    return h(
      "section",
      { class: "source", "data-document": document.id, "aria-label": visible(document.id) },
      h(
        "h3",
        {},
        h("span", { class: "name" }, visible(document.id)),
        title && h("span", { class: "title" }, visible(title)),
        h("span", { class: "length" }, counted(text.length, "character")),
      ),
      h("div", { class: "excerpt", dir: "auto" }, drawText(text, claims, own)),
    );
  });
}

function drawText(text, claims, quotes) {
  const marks = quotes.map(({ item }, owner) => ({ start: item.start, end: item.end, owner }));
  const decisive = quotes.flatMap((quote) => decisiveWords(claims, quote));
  const segments = splitSegments(text.length, marks, decisive);
  return drawMarked(text, segments, (segment, words, piece) => {
    if (!segment.owners.length) return words;
    const here = segment.owners.map((owner) => quotes[owner]);
    const turning = decisive.filter((word) => word.start <= segment.start && segment.end <= word.end).map((word) => word.claim);
    return h(
      "mark",
      {
        // Which colour it takes is for the chosen claim to say: one quote may support one claim and contradict another.
        class: "idle",
        "data-claims": [...new Set(here.map((quote) => quote.claim))].join(" "),
        "data-quotes": here.map((quote) => quote.id).join(" "),
        "data-stances": here.map((quote) => `${quote.claim}:${quote.item.stance}`).join(" "),
        "data-start": piece.start,
        "data-end": piece.end,
      },
      segment.strong ? h("b", { "data-claims": turning.join(" ") }, words) : words,
    );
  });
}

/** Gives each quote the colour of what it says about the chosen claim, and none if it says nothing about it. */
export function lightQuotes(marks, chosen) {
  for (const mark of marks) {
    const own = mark.dataset.stances.split(" ").map((pair) => pair.split(":")).filter(([claim]) => Number(claim) === chosen);
    const stance = STANCES.find((name) => own.some(([, one]) => one === name));
    mark.className = stance ? `${stance} chosen` : "idle";
    for (const word of mark.querySelectorAll("b")) {
      word.classList.toggle("decisive", word.dataset.claims.split(" ").includes(String(chosen)));
    }
  }
}

function decisiveWords(claims, { claim, item }) {
  if (claims[claim].verdict !== "REFUTED" || item.stance !== "refutes") return [];
  return differingNumbers(claims[claim].text, item.quote).quote.map(({ start, end }) => ({
    start: item.start + pointsIn(item.quote, start),
    end: item.start + pointsIn(item.quote, end),
    claim,
  }));
}

