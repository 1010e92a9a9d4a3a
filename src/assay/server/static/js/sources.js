// Draws the sources whole, with every quote that a finding leans on marked where it stands.

import { differingNumbers } from "./decisive.js";
import { h } from "./dom.js";
import { flow, softBreaks } from "./flow.js";
import { Points, pointsIn } from "./points.js";
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
  const segments = splitSegments(text.length, marks, quotes.flatMap((quote) => decisiveWords(claims, quote)));
  const soft = softBreaks(text.text);
  return segments.map((segment) => {
    const words = flow(text.slice(segment.start, segment.end), text.unit(segment.start), soft);
    const inner = segment.strong ? h("b", {}, words) : words;
    if (!segment.owners.length) return inner;
    const here = segment.owners.map((owner) => quotes[owner]);
    const stance = STANCES.find((name) => here.some((quote) => quote.item.stance === name)) ?? "neutral";
    return h(
      "mark",
      {
        class: stance,
        "data-claims": [...new Set(here.map((quote) => quote.claim))].join(" "),
        "data-quotes": here.map((quote) => quote.id).join(" "),
        "data-start": segment.start,
        "data-end": segment.end,
      },
      inner,
    );
  });
}

function decisiveWords(claims, { claim, item }) {
  if (claims[claim].verdict !== "REFUTED" || item.stance !== "refutes") return [];
  return differingNumbers(claims[claim].text, item.quote).quote.map(({ start, end }) => ({
    start: item.start + pointsIn(item.quote, start),
    end: item.start + pointsIn(item.quote, end),
  }));
}

