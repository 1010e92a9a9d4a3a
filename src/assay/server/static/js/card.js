// One finding in full: what was claimed, what was found, on what grounds, and a reader's word on it.

import { post } from "./api.js";
import { announce, details, h, punch } from "./dom.js";
import { vernier } from "./gauges.js";
import { Points } from "./points.js";
import { STANCES, STANCE_WORDS, clip, describe, place, plain, share, signOf, visible } from "./words.js";

const SHOWN = 240; // characters of a quote in the list; the source beside it shows the whole

/** The card of claim `number`; `show` brings a quote into sight, `mark` keeps what a reader said of a claim. */
export function drawCard(run, number, quotes, { show, marks }) {
  const claim = run.report.claims[number];
  const sign = signOf(claim.verdict);
  const scored = !["ERROR", "NOT_CHECKABLE"].includes(claim.verdict);
  const reason = claim.explanation || claim.reason;
  return h(
    "article",
    { class: `finding ${sign.name}`, "aria-label": `Claim ${number + 1}` },
    h(
      "p",
      { class: "verdict" },
      punch(sign.name),
      h("span", { class: "number" }, String(number + 1)),
      h("strong", { class: "word" }, describe(claim)),
      (claim.violations ?? []).map((kind) => h("span", { class: "fault" }, plain(kind))),
      scored && h("span", { class: "gauge" }, vernier(claim.confidence), h("span", {}, share(claim.confidence))),
    ),
    h("p", { class: "statement", dir: "auto" }, visible(claim.text)),
    reason && h("p", { class: "reason", dir: "auto" }, visible(reason)),
    unbacked(run, claim),
    (claim.warnings ?? []).map((warning) => h("p", { class: "reason" }, visible(warning))),
    evidenceList(quotes, show),
    terms(claim),
    run.runId && feedback(run, number, marks),
  );
}

/** The technical side of a finding, with a word on each. */
function terms(claim) {
  const facts = [
    ["Verdict", claim.verdict, "as the interfaces name it"],
    ["Kind", claim.kind, "what sort of statement it is"],
    ["Weight", claim.importance, "how much it matters for the answer"],
    ["Found by", claim.method, "the step that decided"],
    ["Action", claim.action && claim.action !== "CONTINUE" && plain(claim.action), "what the policy would do"],
  ];
  return details("Details", facts);
}

function unbacked(run, claim) {
  const spans = claim.unsupported_spans ?? [];
  if (!spans.length) return null;
  const text = new Points(run.answer);
  const words = [...new Set(spans.map(({ start, end }) => clip(text.slice(start, end), 120)))];
  return h("p", { class: "unbacked" }, "Not supported: ", words.map((word, at) => [at ? ", " : "", h("b", {}, word)]));
}

function evidenceList(quotes, show) {
  if (!quotes.length) return h("p", { class: "reason" }, "No passage of the sources speaks to it.");
  const ranked = [...quotes].sort((a, b) => STANCES.indexOf(a.item.stance) - STANCES.indexOf(b.item.stance));
  return h(
    "ol",
    { class: "evidence", "aria-label": "Evidence" },
    ranked.map((quote) =>
      h(
        "li",
        { class: quote.item.stance },
        h(
          "button",
          { type: "button", class: "receipt", disabled: !quote.holds, onclick: () => show(quote) },
          h("q", { dir: "auto" }, clip(quote.item.quote, SHOWN)),
        ),
        h("p", { class: "place" }, [STANCE_WORDS[quote.item.stance] ?? quote.item.stance, visible(place(quote.item))].join(" · "), heading(quote.item), receipt(quote)),
      ),
    ),
  );
}

const heading = (item) => (item.heading ? ` · ${clip(item.heading, 90)}` : "");

/** Whether the quote stands in the source, letter by letter, at the offsets given. */
function receipt({ holds }) {
  if (holds === null) return " · the source is not at hand";
  return holds ? "" : h("strong", {}, " · receipt does not hold: the source says something else there");
}

function feedback(run, number, marks) {
  const state = h("span", { class: "state", role: "status" });
  const button = (right, word, icon) =>
    h(
      "button",
      {
        type: "button",
        class: "stamp",
        "aria-pressed": String(marks.get(number) === right),
        "data-right": String(right),
        onclick: async (event) => {
          const pressed = event.currentTarget;
          try {
            await post("v1/feedback", { run_id: run.runId, claim: number, right });
          } catch (error) {
            state.textContent = `Not kept: ${error.message}`;
            return;
          }
          marks.set(number, right);
          for (const other of pressed.parentElement.querySelectorAll(".stamp")) {
            other.setAttribute("aria-pressed", String(other === pressed));
          }
          state.textContent = "Kept in the ledger.";
          announce(`Claim ${number + 1} marked ${word.toLowerCase()}.`);
        },
      },
      punch(icon),
      word,
    );
  return h(
    "div",
    { class: "feedback", role: "group", "aria-label": "Is this finding right?" },
    h("span", {}, "This finding is"),
    button(true, "Right", "passed"),
    button(false, "Wrong", "failed"),
    state,
  );
}
