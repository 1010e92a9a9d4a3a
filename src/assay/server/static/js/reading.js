// The reading: an answer beside its sources. Choosing a claim lights its quotes up and brings them into sight.

import { drawAnswer } from "./answer.js";
import { drawCard } from "./card.js";
import { announce, bring, calm, h, punch } from "./dom.js";
import { hallmark } from "./gauges.js";
import { drawSources, listQuotes } from "./sources.js";
import { spin } from "./thread.js";
import { GRAVITY, STANCES, VERDICTS, counted, describe, outcome, plain, share, signOf, visible } from "./words.js";

/** Draws a run ({answer, report, documents, runId}) into a host and returns what the keyboard may do with it. */
export function openReading(host, run, { before = [], after = [] } = {}) {
  const { report } = run;
  const quotes = listQuotes(report.claims, run.documents);
  const answer = h("div", { class: "answer", role: "group", "aria-label": "The answer", dir: "auto" });
  answer.append(...(run.answer ? drawAnswer(run.answer, report.claims) : [h("p", { class: "note" }, "The answer is empty.")]));
  const card = h("div", { class: "card" });
  const sources = h("div", { class: "sources", role: "region", "aria-label": "Sources", tabindex: 0 });
  sources.append(...drawSources(run.documents, report.claims, quotes));
  const close = h("button", { type: "button", class: "close", "aria-label": "Close the evidence", onclick: () => shut() }, "×");
  const proof = h("aside", { class: "proof", "aria-label": "Evidence" }, close, card, sources);
  const folio = h("div", { class: "folio" }, answer, remarks(report), after);
  const sheet = h("div", { class: "sheet" }, folio, proof);
  const filters = drawFilters(report, (wanted) => fade(wanted));
  const bar = h("div", { class: "bar" }, filters, before);
  host.replaceChildren(h("section", { class: "reading", "aria-label": "Result" }, title(report), bar, sheet));

  const pieces = [...answer.querySelectorAll(".claim")];
  const lit = [...sources.querySelectorAll("mark")];
  const thread = spin(sheet, folio, sources);
  const marks = new Map((run.marks ?? []).map((mark) => [mark.claim, mark.right]));
  let chosen = null;

  const owns = (element, number) => element.dataset.claims.split(" ").includes(String(number));

  function shut() {
    proof.classList.remove("open");
    document.documentElement.classList.remove("sheeted");
    pieces.find((piece) => chosen !== null && owns(piece, chosen))?.focus({ preventScroll: true });
  }

  function show(quote) {
    const mark = lit.find((element) => element.dataset.quotes.split(" ").includes(quote.id));
    if (!mark) return;
    bring(sources, mark);
    thread.tie(pieces.filter((piece) => owns(piece, quote.claim)).at(-1), mark);
  }

  function choose(number, { open = true } = {}) {
    const claim = report.claims[number];
    if (!claim) return;
    chosen = number;
    for (const piece of pieces) {
      piece.classList.toggle("chosen", owns(piece, number));
      piece.setAttribute("aria-pressed", String(owns(piece, number)));
    }
    for (const mark of lit) mark.classList.toggle("chosen", owns(mark, number));
    const own = quotes.filter((quote) => quote.claim === number);
    card.replaceChildren(drawCard(run, number, own, { show, marks }));
    card.scrollTop = 0;
    if (open) {
      proof.classList.add("open");
      document.documentElement.classList.add("sheeted");
    }
    const decider = [...own].sort((a, b) => STANCES.indexOf(a.item.stance) - STANCES.indexOf(b.item.stance))[0];
    if (decider) show(decider);
    else thread.tie(null, null);
    const where = decider ? ` Quoted from ${decider.item.document}.` : "";
    announce(`Claim ${number + 1} of ${report.claims.length}, ${describe(claim)}. ${claim.explanation ?? ""}${where}`);
  }

  function fade(wanted) {
    for (const piece of pieces) {
      const kept = piece.dataset.claims.split(" ").some((number) => report.claims[number].verdict === wanted);
      piece.classList.toggle("faded", wanted !== null && !kept);
    }
  }

  /** On a phone the proof lies over the lower half: the claim it belongs to must stay in sight. */
  function uncover(piece) {
    const floor = getComputedStyle(proof).position === "fixed" ? proof.getBoundingClientRect().top : innerHeight;
    const box = piece.getBoundingClientRect();
    const by = box.bottom + 24 > floor ? box.bottom + 24 - floor : Math.min(0, box.top - 24);
    if (by) scrollBy({ top: by, behavior: calm() ? "auto" : "smooth" });
  }

  function step(by) {
    const stops = pieces.filter((piece) => piece.tabIndex === 0 && !piece.classList.contains("faded"));
    const here = stops.findIndex((piece) => chosen !== null && owns(piece, chosen) && Number(piece.dataset.lead) === chosen);
    const focused = stops.indexOf(document.activeElement);
    const from = focused >= 0 ? focused : here;
    const next = stops[from < 0 ? 0 : from + by];
    if (!next) return;
    next.focus({ preventScroll: true });
    choose(Number(next.dataset.lead));
    uncover(next);
  }

  answer.addEventListener("click", (event) => {
    const piece = event.target.closest(".claim");
    if (piece) press(piece);
  });
  answer.addEventListener("keydown", (event) => {
    const piece = event.target.closest(".claim");
    if (!piece || event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) step(by);
    else if (event.key === "Enter" || event.key === " ") press(piece);
    else return;
    event.preventDefault();
  });

  /** Where claims overlap, a second press goes on to the next of them. */
  function press(piece) {
    const here = piece.dataset.claims.split(" ").map(Number);
    choose(here.includes(chosen) ? here[(here.indexOf(chosen) + 1) % here.length] : Number(piece.dataset.lead));
    uncover(piece);
  }

  // Begin with what needs a look; on a phone the answer comes first, so nothing is opened over it.
  const worst = GRAVITY.map((verdict) => report.claims.findIndex((claim) => claim.verdict === verdict)).find((at) => at >= 0);
  if (worst !== undefined) choose(worst, { open: false });
  return {
    choose,
    step,
    escape: shut,
    leave() {
      thread.cut();
      document.documentElement.classList.remove("sheeted");
    },
  };
}

function title(report) {
  const counts = report.counts ?? {};
  const scored = ["SUPPORTED", "REFUTED", "INSUFFICIENT"].reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
  const facts = [
    `${counted(scored, "claim")} scored`,
    counts.NOT_CHECKABLE ? `${counts.NOT_CHECKABLE} not checkable` : "",
    counts.ERROR ? counted(counts.ERROR, "error") : "",
    report.confidence === null ? "" : `lowest confidence ${share(report.confidence)}`,
    timing(report),
  ];
  return h(
    "header",
    { class: `outcome ${signOf(report.verdict).name}` },
    h(
      "div",
      {},
      h("h2", { tabindex: -1 }, outcome(report)),
      h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
      report.skipped && h("p", { class: "facts" }, visible(report.skipped)),
      report.question && h("p", { class: "question", dir: "auto" }, visible(report.question)),
    ),
    hallmark(report),
  );
}

function timing(report) {
  const total = Object.values(report.timings_ms ?? {}).reduce((sum, ms) => sum + ms, 0);
  return total ? `${total < 10 ? total.toFixed(1) : Math.round(total).toLocaleString("en")} ms` : "";
}

function drawFilters(report, fade) {
  let wanted = null;
  const buttons = VERDICTS.filter((verdict) => report.counts?.[verdict]).map((verdict) =>
    h(
      "button",
      {
        type: "button",
        class: `filter ${signOf(verdict).name}`,
        "aria-pressed": "false",
        onclick: (event) => {
          wanted = wanted === verdict ? null : verdict;
          for (const button of buttons) {
            button.setAttribute("aria-pressed", String(wanted !== null && button === event.currentTarget));
          }
          fade(wanted);
        },
      },
      punch(signOf(verdict).name),
      h("span", { class: "word" }, signOf(verdict).word),
      h("span", { class: "count" }, String(report.counts[verdict])),
    ),
  );
  return h("div", { class: "filters", role: "group", "aria-label": "Show claims by verdict" }, buttons);
}

/** What holds for the answer as a whole. */
function remarks(report) {
  const flags = (report.risk_flags ?? []).map((flag) =>
    h(
      "li",
      {},
      punch(["high", "critical", "error"].includes(String(flag.severity).toLowerCase()) ? "gap" : "insufficient"),
      h("span", {}, h("strong", {}, plain(flag.kind)), " ", visible(flag.message)),
    ),
  );
  const warnings = (report.warnings ?? []).map((warning) => h("li", {}, punch("error"), h("span", {}, visible(warning))));
  if (!flags.length && !warnings.length) return null;
  return h("section", { class: "remarks" }, h("h3", {}, "Remarks"), h("ul", {}, flags, warnings));
}
