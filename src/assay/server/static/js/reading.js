// The reading: an answer beside its sources. Choosing a claim lights its quotes up and brings them into sight.

import { drawAnswer } from "./answer.js";
import { drawCard } from "./card.js";
import { announce, bring, calm, copyText, details, h, punch } from "./dom.js";
import { offerFix } from "./fix.js";
import { hallmark, outcomeBar } from "./gauges.js";
import { drawRating } from "./rating.js";
import { offerSearch } from "./search.js";
import { drawSources, lightQuotes, listQuotes } from "./sources.js";
import { spin } from "./thread.js";
import { GRAVITY, STANCES, VERDICTS, counted, describe, outcome, outcomeSign, percent, plain, scoredOf, share, signOf, visible } from "./words.js";

/** What a reader has to look at. */
const PROBLEMS = ["REFUTED", "INSUFFICIENT", "ERROR"];

/** Draws a run ({answer, report, documents, runId, rating}) into a host and returns what the keyboard may do with it. */
export function openReading(host, run, { before = [], after = [] } = {}) {
  const { report } = run;
  const quotes = listQuotes(report.claims, run.documents);
  const answer = h("div", { class: "answer", role: "group", "aria-label": "The answer", dir: "auto" });
  answer.append(...(run.answer ? drawAnswer(run.answer, report.claims) : [h("p", { class: "note" }, "The answer is empty.")]));
  const card = h("div", { class: "card" });
  const sources = h("div", { class: "sources", role: "region", "aria-label": "Sources", tabindex: 0 });
  sources.append(...drawSources(run.documents, report.claims, quotes));
  const close = h("button", { type: "button", class: "close", "aria-label": "Close the evidence", onclick: () => shut() }, "×");
  const search = run.documents.length > 0 && offerSearch(sources);
  const proof = h("aside", { class: "proof", "aria-label": "Evidence" }, close, card, search?.bar, sources);
  const folio = h("div", { class: "folio" }, answer, remarks(report), after);
  const sheet = h("div", { class: "sheet" }, folio, proof);
  const filters = drawFilters(report, (wanted) => sift(wanted));
  const tally = h("span", { class: "tally", role: "status" });
  const numbersOf = (verdicts) => report.claims.flatMap((claim, number) => (verdicts.includes(claim.verdict) ? [number] : []));
  const faults = numbersOf(PROBLEMS);
  let walked = faults; // what the arrows lead through: the problems, or what a filter leaves
  let kind = "problem";
  const back = h("button", { type: "button", class: "quiet", onclick: () => problem(-1) }, "‹");
  const on = h("button", { type: "button", class: "quiet", onclick: () => problem(1) }, "›");
  const steps = h("span", { class: "steps", hidden: !faults.length }, back, tally, on);
  const fix = offerFix(run);
  const bar = h("div", { class: "bar sticky" }, filters, steps);
  const doing = h("div", { class: "doing" }, fix?.button, before, run.runId && linkButton(run.runId));
  host.replaceChildren(h("section", { class: "reading", "aria-label": "Result" }, title(run), doing, fix?.panel, bar, sheet));

  const pieces = [...answer.querySelectorAll(".claim")];
  const lit = [...sources.querySelectorAll("mark")];
  const thread = spin(sheet, folio, sources);
  // The evidence stands below the bar, of however many lines that is.
  const measure = new ResizeObserver(() => sheet.style.setProperty("--bar", `${bar.offsetHeight}px`));
  measure.observe(bar);
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
    thread.tie(pieces.filter((piece) => owns(piece, quote.claim)), mark);
  }

  function choose(number, { open = true } = {}) {
    const claim = report.claims[number];
    if (!claim) return;
    chosen = number;
    for (const piece of pieces) {
      piece.classList.toggle("chosen", owns(piece, number));
      piece.setAttribute("aria-pressed", String(owns(piece, number)));
    }
    lightQuotes(lit, number);
    const own = quotes.filter((quote) => quote.claim === number);
    card.replaceChildren(drawCard(run, number, own, { show, marks }));
    card.scrollTop = 0;
    tell();
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

  /** Goes to the next claim that is contradicted, not confirmed or could not be checked, or to the next one of the kind
   *  that was filtered for; behind the last comes the first. */
  function problem(by) {
    if (!walked.length) return;
    const here = walked.indexOf(chosen);
    const later = walked.findIndex((number) => number > (chosen ?? -1));
    const start = here >= 0 ? here + by : by > 0 ? Math.max(0, later) : (later < 0 ? walked.length : later) - 1;
    const number = walked[(start + walked.length) % walked.length];
    choose(number);
    const piece = pieces.find((one) => owns(one, number));
    piece?.focus({ preventScroll: true });
    if (piece) uncover(piece);
  }

  function tell() {
    const here = walked.indexOf(chosen);
    tally.textContent = here >= 0 ? `${kind} ${here + 1} of ${walked.length}` : kind === "problem" ? counted(walked.length, kind) : `${walked.length} ${kind}`;
    for (const [button, word, key] of [[back, "Previous", "p"], [on, "Next", "n"]]) {
      button.setAttribute("aria-label", `${word} ${kind === "problem" ? kind : `claim that is ${kind}`}`);
      button.title = `${button.getAttribute("aria-label")} (${key})`;
    }
  }

  /** Shows what a filter asks for, or everything again; the arrows then lead through that. */
  function sift(wanted) {
    walked = wanted === null ? faults : numbersOf([wanted]);
    kind = wanted === null ? "problem" : signOf(wanted).word;
    steps.hidden = !walked.length;
    if (wanted !== null && !walked.includes(chosen)) choose(walked[0], { open: false });
    tell();
    for (const piece of pieces) {
      const kept = piece.dataset.claims.split(" ").some((number) => report.claims[number].verdict === wanted);
      piece.classList.toggle("faded", wanted !== null && !kept);
    }
  }

  /** On a phone the proof lies over the lower half: the claim it belongs to must stay in sight. */
  function uncover(piece) {
    const over = getComputedStyle(proof).position === "fixed";
    const floor = over ? proof.getBoundingClientRect().top - steps.offsetHeight : innerHeight;
    const { top } = piece.getBoundingClientRect();
    const { bottom } = lastPiece(piece).getBoundingClientRect();
    const ceiling = (getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0) + 16;
    let by = bottom + 24 > floor ? Math.min(bottom + 24 - floor, top - ceiling) : Math.min(0, top - ceiling);
    // Beside the answer the evidence comes into sight whole, as far as the claim stays in sight with it.
    const below = !over ? proof.getBoundingClientRect().bottom + 8 - innerHeight : 0;
    if (below > by) by = Math.max(by, Math.min(below, top - ceiling));
    if (by) scrollBy({ top: by, behavior: calm() ? "auto" : "smooth" });
  }

  /** Where the claim that begins with a piece ends: bold words cut it into several. */
  function lastPiece(piece) {
    let last = pieces.indexOf(piece);
    while (pieces[last + 1] && owns(pieces[last + 1], chosen) && pieces[last + 1].tabIndex < 0) last += 1;
    return pieces[last];
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
    problem,
    escape: shut,
    leave() {
      thread.cut();
      measure.disconnect();
      search?.leave();
      document.documentElement.classList.remove("sheeted");
    },
  };
}

/** Every recorded result has an address, that of the view it stands in; copying it is the way to hand it on. */
function linkButton(runId) {
  const button = h("button", { type: "button", class: "quiet", onclick: copy }, "Copy its link");
  async function copy() {
    const id = encodeURIComponent(runId);
    await copyText(location.hash.endsWith(`/${id}`) ? location.href : new URL(`#/check/${id}`, location.href).href);
    button.textContent = "Link copied";
    announce("Link copied.");
  }
  return button;
}

function title({ report, rating }) {
  const counts = report.counts ?? {};
  const scored = scoredOf(report);
  const facts = [
    scored ? `${counts.SUPPORTED ?? 0} of ${counted(scored, "claim")} supported by the sources` : "",
    counts.NOT_CHECKABLE ? `${counts.NOT_CHECKABLE} not checkable, such as opinions` : "",
  ];
  return h(
    "header",
    { class: `outcome ${outcomeSign(report).name}` },
    h("h2", { tabindex: -1 }, punch(outcomeSign(report).name), outcome(report)),
    outcomeBar(report, VERDICTS),
    h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    report.skipped && h("p", { class: "facts" }, visible(report.skipped)),
    report.question && h("p", { class: "question", dir: "auto" }, visible(report.question)),
    h(
      "div",
      { class: "folds" },
      drawRating(rating),
      details(
        "Details",
        [
          ["Verdict", report.verdict, "of the answer as a whole: that of its worst claim"],
          ["Coverage", percent(report.coverage), "share of the claims that matter which the sources support; ‰ on the mark above"],
          ["Lowest confidence", report.confidence === null ? "" : share(report.confidence), "how sure the judge is of its least sure verdict, from 0 to 1"],
          ["Audit mode", report.audit_mode, "STRICT: every claim is verified; HYBRID: some are; UNGROUNDED: none"],
          ["Judged by", String(report.model ?? "").split(/[@ ]/)[0], "cascade means: the cheapest judge that can decide, claim by claim"],
          ["Action", report.action, "what the policy does with such an answer: CONTINUE shows it, BRANCH tries another way, HALT stops it"],
          ["Time", timing(report), "spent on checking"],
        ],
        hallmark(report),
      ),
    ),
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
      h("span", { class: "count" }, `${report.counts[verdict]} of ${report.claims.length}`),
    ),
  );
  return h("div", { class: "filters", role: "group", "aria-label": "Show claims by verdict" }, buttons);
}

const SHOWN = 2; // remarks of one kind; the others are folded away

/** What holds for the answer as a whole. */
function remarks(report) {
  const remark = (flag) =>
    h(
      "li",
      {},
      punch(["high", "critical", "error"].includes(String(flag.severity).toLowerCase()) ? "gap" : "insufficient"),
      h("span", {}, h("strong", {}, plain(flag.kind)), " ", visible(flag.message)),
    );
  const found = report.risk_flags ?? [];
  const flags = [...new Set(found.map((flag) => flag.kind))].flatMap((kind) => {
    const rows = found.filter((flag) => flag.kind === kind).map(remark);
    if (rows.length <= SHOWN + 1) return rows;
    const more = h("details", {}, h("summary", {}, `${plain(kind)}: ${rows.length - SHOWN} more`), h("ul", {}, rows.slice(SHOWN)));
    return [...rows.slice(0, SHOWN), h("li", {}, more)];
  });
  const warnings = (report.warnings ?? []).map((warning) => h("li", {}, punch("error"), h("span", {}, visible(warning))));
  if (!flags.length && !warnings.length) return null;
  return h("section", { class: "remarks" }, h("h3", {}, "Remarks"), h("ul", {}, flags, warnings));
}
