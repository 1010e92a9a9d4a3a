"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const answer = document.getElementById("answer");
  const card = document.getElementById("card");
  const sources = document.getElementById("sources");
  const proof = card.parentElement;
  const pieces = all(".claim", answer);
  const marks = all("mark", sources);
  const articles = all(".findings .finding");
  const filters = all(".filter");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let chosen = null;
  let wanted = null;
  root.classList.add("js");

  const numbers = (element) => element.dataset.claims.split(" ");
  const bring = (target) => {
    const box = sources.getBoundingClientRect();
    const top = target.getBoundingClientRect().top - box.top + sources.scrollTop - box.height / 3;
    sources.scrollTo({ top, behavior: calm.matches ? "auto" : "smooth" });
  };

  // On a phone the proof lies over the lower half: the claim it belongs to must stay in sight.
  const uncover = (piece) => {
    const floor = getComputedStyle(proof).position === "fixed" ? proof.getBoundingClientRect().top : innerHeight;
    const hidden = piece.getBoundingClientRect().bottom + 24 - floor;
    if (hidden > 0) scrollBy({ top: hidden, behavior: calm.matches ? "auto" : "smooth" });
  };

  const close = () => {
    proof.classList.remove("open");
    root.classList.remove("sheeted");
  };

  const choose = (number, { open = true, quote = null } = {}) => {
    const article = document.getElementById(`claim-${number}`);
    if (!article) return;
    chosen = number;
    for (const piece of pieces) piece.classList.toggle("chosen", numbers(piece).includes(number));
    for (const mark of marks) mark.classList.toggle("chosen", numbers(mark).includes(number));
    card.className = `card ${article.className}`;
    card.replaceChildren(...[...article.children].map((child) => child.cloneNode(true)));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "close";
    button.textContent = "×";
    button.setAttribute("aria-label", "Close the evidence");
    button.addEventListener("click", close);
    card.append(button);
    card.hidden = false;
    if (open) {
      proof.classList.add("open");
      root.classList.add("sheeted");
    }
    // The first receipt of a finding is the one that decided, wherever in the sources it stands.
    const receipt = article.querySelector(".receipt");
    const decider = receipt && document.getElementById(receipt.hash.slice(1));
    const target = quote || decider || marks.find((mark) => numbers(mark).includes(number));
    if (target) bring(target);
  };

  const shown = (piece) => !piece.classList.contains("faded") && piece.tabIndex >= 0;
  const step = (from, by) => {
    const stops = pieces.filter(shown);
    const next = stops[stops.indexOf(from) + by];
    if (!next) return;
    next.focus();
    choose(next.hash.slice("#claim-".length));
    uncover(next);
  };

  answer.addEventListener("click", (event) => {
    const piece = event.target.closest(".claim");
    if (!piece) return;
    event.preventDefault();
    // Where claims overlap, a second click goes on to the next of them.
    const here = numbers(piece);
    const lead = piece.hash.slice("#claim-".length);
    choose(here.includes(chosen) ? here[(here.indexOf(chosen) + 1) % here.length] : lead);
    uncover(piece);
  });
  answer.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const piece = event.target.closest(".claim");
    if (!by || !piece || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    step(piece, by);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  for (const article of articles) {
    article.addEventListener("click", (event) => {
      const receipt = event.target.closest(".receipt");
      if (receipt) event.preventDefault();
      choose(article.dataset.claim, { quote: receipt && document.getElementById(receipt.hash.slice(1)) });
    });
  }
  for (const filter of filters) {
    filter.addEventListener("click", () => {
      wanted = wanted === filter.dataset.verdict ? null : filter.dataset.verdict;
      const kept = new Set();
      for (const other of filters) other.setAttribute("aria-pressed", String(other.dataset.verdict === wanted));
      for (const article of articles) {
        article.hidden = wanted !== null && article.dataset.verdict !== wanted;
        if (!article.hidden) kept.add(article.dataset.claim);
      }
      for (const piece of pieces) piece.classList.toggle("faded", !numbers(piece).some((number) => kept.has(number)));
    });
  }

  // Begin with what needs a look; on a phone the answer comes first, so nothing is opened over it.
  const asked = /^#claim-(\d+)$/.exec(location.hash);
  const worst = [".refuted", ".error", ".insufficient", ".finding"];
  const first = worst.map((name) => articles.find((article) => article.matches(name))).find(Boolean);
  if (asked) choose(asked[1]);
  else if (first) choose(first.dataset.claim, { open: false });
})();
