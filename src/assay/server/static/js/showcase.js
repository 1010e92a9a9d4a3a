// What a first visit shows: a short answer that is checked by itself, so that one look tells what this page is for.

import { drawAnswer } from "./answer.js";
import { verify } from "./api.js";
import { h, punch } from "./dom.js";
import { SHORT } from "./example.js";
import { drawSources, lightQuotes, listQuotes } from "./sources.js";
import { GRAVITY, describe, outcome, signOf, visible } from "./words.js";

/** Puts the example before `place`; `whole` opens the long one. */
export function openShowcase(place, whole) {
  const answer = h("div", { class: "answer", role: "group", "aria-label": "An answer of an AI", dir: "auto" });
  const reason = h("p", { class: "reason" });
  const source = h("div", { class: "sources", role: "region", "aria-label": "Its source", tabindex: 0 });
  const said = h("p", { class: "facts", role: "status" });
  const tools = h(
    "p",
    { class: "tools" },
    h("button", { type: "button", class: "quiet", onclick: () => (close(), whole()) }, "See a longer one with its sources"),
    h("button", { type: "button", class: "quiet", onclick: close }, "Close the example"),
  );
  const box = h("section", { class: "showcase", "aria-label": "An example" }, h("div", {}, h("h2", {}, "What an AI wrote"), answer, said), h("div", {}, h("h2", {}, "What its source says"), source, reason), tools);
  answer.append(SHORT.answer);
  source.append(...drawSources(SHORT.sources, [], []));
  place.before(box);
  begin();

  async function begin() {
    const body = { ...SHORT, record: false };
    try {
      const report = await verify(body, { quiet: true, watch: (claims) => answer.replaceChildren(...drawAnswer(SHORT.answer, claims)) });
      draw(report);
      remember();
    } catch {
      // A server that asks for a key, or is busy: the desk says so when it is used.
      box.remove();
    }
  }

  function draw(report) {
    source.replaceChildren(...drawSources(SHORT.sources, report.claims, listQuotes(report.claims, SHORT.sources)));
    const marks = [...source.querySelectorAll("mark")];
    answer.replaceChildren(...drawAnswer(SHORT.answer, report.claims));
    said.textContent = `${outcome(report)}. Choose a claim to see why.`;
    const choose = (number) => {
      for (const piece of answer.querySelectorAll(".claim")) {
        const own = piece.dataset.claims.split(" ").includes(String(number));
        piece.classList.toggle("chosen", own);
        piece.setAttribute("aria-pressed", String(own));
      }
      const claim = report.claims[number];
      const sign = signOf(claim.verdict).name;
      lightQuotes(marks, number);
      reason.className = `reason ${sign}`;
      reason.replaceChildren(punch(sign), h("strong", {}, describe(claim)), ` ${visible(claim.explanation)}`);
    };
    const pick = (event) => {
      const piece = event.target.closest(".claim");
      if (!piece || (event.key && !["Enter", " "].includes(event.key))) return;
      event.preventDefault();
      choose(Number(piece.dataset.lead));
    };
    answer.addEventListener("click", pick);
    answer.addEventListener("keydown", pick);
    const worst = GRAVITY.map((verdict) => report.claims.findIndex((claim) => claim.verdict === verdict)).find((at) => at >= 0);
    if (worst !== undefined) choose(worst);
  }

  function close() {
    remember();
    box.remove();
    place.querySelector("textarea").focus();
  }
}

function remember() {
  try {
    localStorage.setItem("assay-seen", "yes");
  } catch {
    // It then comes again.
  }
}
