// Audit: every recorded run, the chain that proves none was changed, and any of them made again.

import { get, post } from "../api.js";
import { announce, h, punch, tell } from "../dom.js";
import { openReading } from "../reading.js";
import { clip, counted, percent, plain, share, signOf, visible, when } from "../words.js";

export function mount(host, office) {
  const chain = h("div", { class: "seal-line", role: "status" });
  const message = h("p", { class: "message", role: "alert" });
  const runs = h("div", {});
  const stale = h("div", {});
  const detail = h("div", { class: "result" });
  let reading = null;
  const heading = h("h1", { id: "audit-title", tabindex: -1 }, "Audit");
  host.append(heading, chain, message, detail, runs, stale);

  async function enter([id]) {
    message.textContent = "";
    close();
    heading.classList.toggle("unseen", Boolean(id));
    try {
      if (id) await open(id);
      else await list();
    } catch (error) {
      tell(message, error.message, () => enter([id]));
    }
  }

  function close() {
    reading?.leave();
    reading = null;
    for (const part of [detail, runs, stale]) part.replaceChildren();
  }

  async function list() {
    const [found, state, moved] = await Promise.all([
      get("v1/audits?limit=100"),
      get("v1/audits/chain"),
      get("v1/audits/stale").catch((error) => ({ stale: [], problem: error.message })),
    ]);
    showChain(state);
    runs.replaceChildren(table(found.audits));
    stale.replaceChildren(staleSection(moved.stale ?? [], moved.problem));
  }

  function showChain(state) {
    const holds = state.intact;
    const where = state.break ? `, and record ${state.break.sequence} ${visible(state.break.reason)}` : "";
    chain.className = `seal-line ${holds ? "supported" : "refuted"}`;
    chain.replaceChildren(
      punch(holds ? "supported" : "refuted"),
      h("span", {}, h("strong", {}, holds ? "The chain holds." : "The chain is broken."), ` ${counted(state.records, "record")}`, where, "."),
      state.head ? h("code", { class: "hash", title: state.head }, state.head.slice(0, 16)) : "",
    );
  }

  async function open(id) {
    const stored = await get(`v1/audits/${encodeURIComponent(id)}`);
    chain.replaceChildren();
    const run = { answer: stored.answer, question: stored.question, report: stored.report, documents: stored.documents, runId: stored.id, marks: stored.marks, rating: stored.rating };
    office.run = run;
    const outcome = h("div", { class: "replayed", role: "status" });
    const again = h("button", { type: "button", class: "quiet", onclick: () => replay(id, outcome, again) }, "Make it again");
    const today = h("button", { type: "button", class: "quiet", onclick: () => replay(id, outcome, today, true) }, "Make it again by today's rules");
    reading = openReading(detail, run, {
      before: h("p", { class: "trail" }, h("a", { href: "#/audit" }, "All runs"), again, today, h("a", { href: `#/ledger/${encodeURIComponent(id)}` }, "Ledger")),
      after: [outcome, papers(stored)],
    });
    detail.querySelector("h2").focus({ preventScroll: true });
  }

  /** Made again by the judge and policy of its day, or by those of today. */
  async function replay(id, outcome, button, current = false) {
    button.disabled = true;
    outcome.textContent = "Made again from what was stored…";
    try {
      const found = await post(`v1/audits/${encodeURIComponent(id)}/replay${current ? "?current=true" : ""}`);
      outcome.replaceChildren(...replayed(found));
      announce(found.identical ? "The replay is identical." : `${counted(found.differences.length, "claim")} came out otherwise.`);
      outcome.scrollIntoView({ block: "nearest" });
    } catch (error) {
      outcome.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  }

  return {
    enter,
    step: (by) => reading?.step(by),
    problem: (by) => reading?.problem(by),
    escape: () => reading?.escape(),
    leave: () => document.documentElement.classList.remove("sheeted"),
  };
}

function table(runs) {
  if (!runs.length) return h("p", { class: "empty" }, "Nothing has been recorded yet. ", h("a", { href: "#/check" }, "Check an answer"), " first.");
  return h(
    "table",
    { class: "ledger-table" },
    h("caption", { class: "unseen" }, "Recorded runs, newest first"),
    h("thead", {}, h("tr", {}, ["Run", "Answer", "Verdict", "Claims", "Coverage", "Judged by"].map((word, at) => h("th", { scope: "col", class: at === 3 || at === 4 ? "figure" : at ? "" : "number" }, word)))),
    h(
      "tbody",
      {},
      runs.map((run) => {
        const sign = signOf(run.verdict);
        return h(
          "tr",
          { class: sign.name },
          h("td", { class: "number" }, String(run.id).split("-")[0]),
          h(
            "td",
            { class: "claim-cell" },
            h("a", { class: "statement", href: `#/audit/${encodeURIComponent(run.id)}` }, clip(run.question || run.opening || run.id, 100)),
            run.question ? h("p", { class: "reason" }, opening(run)) : "",
            h("p", { class: "place" }, when(run.time), run.user ? ` · ${visible(run.user)}` : ""),
          ),
          h("td", { "data-label": "Verdict" }, h("span", { class: "sealed" }, punch(sign.name), sign.word)),
          h("td", { class: "figure", "data-label": "Claims" }, String(run.claims)),
          h("td", { class: "figure", "data-label": "Coverage" }, percent(run.coverage)),
          h("td", { "data-label": "Judged by" }, clip(String(run.model ?? "").split(/[@ ]/)[0], 24)),
        );
      }),
    ),
  );
}

function staleSection(found, problem) {
  return h(
    "section",
    { class: "remarks" },
    h("h2", {}, "Findings whose sources have changed"),
    problem ? h("p", { class: "note" }, visible(problem)) : "",
    found.length
      ? h(
          "ul",
          {},
          found.map((item) => {
            const sign = signOf(item.verdict);
            return h(
              "li",
              { class: sign.name },
              punch(sign.name),
              h("span", {}, h("a", { href: `#/audit/${encodeURIComponent(item.run_id)}` }, clip(item.text, 160)), " ", visible(item.reason ?? "")),
            );
          }),
        )
      : h("p", { class: "note" }, "None: every document that a recorded finding leans on stands in the memory as it was."),
  );
}

/** What the record says of itself. */
function papers(stored) {
  const spent = stored.spent ?? {};
  const facts = [
    ["Recorded", when(stored.time)],
    ["By", [stored.user, stored.session, stored.workspace].filter(Boolean).join(" · ")],
    ["Judged by", stored.model],
    ["Policy", stored.policy_sha256?.slice(0, 16)],
    ["Root", stored.root?.slice(0, 32)],
    ["Record", stored.hash?.slice(0, 32)],
    ["Follows", stored.previous?.slice(0, 32)],
    ["Model calls", spent.model_calls ? `${spent.model_calls}, ${spent.prompt_tokens + spent.completion_tokens} tokens, $${Number(spent.cost_usd).toFixed(4)}` : "none"],
  ];
  return h(
    "section",
    { class: "papers" },
    h("h3", {}, "The record"),
    h("dl", {}, facts.filter(([, value]) => value).map(([word, value]) => [h("dt", {}, word), h("dd", { class: /^[0-9a-f]{16,}$/.test(value) ? "code" : "" }, visible(value))])),
  );
}

function replayed(found) {
  const changes = found.changes ?? [];
  if (found.identical) {
    return [
      h("p", { class: "seal-line supported" }, punch("supported"), h("span", {}, h("strong", {}, "Identical."), ` ${counted(found.claims, "claim")} came out as recorded.`)),
      list(changes),
    ];
  }
  return [
    h("p", { class: "seal-line refuted" }, punch("refuted"), h("strong", {}, `${counted(found.differences.length, "claim")} came out otherwise.`)),
    h(
      "ul",
      { class: "entries" },
      found.differences.map((item) =>
        h(
          "li",
          {},
          punch("gap"),
          h(
            "div",
            {},
            h("p", { class: "statement" }, visible(item.text)),
            h("p", {}, told(item.before), " → ", told(item.after)),
            item.reasons.map((reason) => h("p", { class: "reason" }, visible(reason))),
          ),
        ),
      ),
    ),
    list(changes),
  ];
}

const list = (changes) => (changes.length ? h("ul", { class: "plain-list" }, changes.map((line) => h("li", {}, visible(line)))) : "");

function told(side) {
  const parts = Object.entries(side ?? {}).map(([name, value]) => {
    if (name === "verdict") return signOf(value).word;
    if (name === "confidence") return `confidence ${share(value)}`;
    return `${plain(name)} ${Array.isArray(value) ? value.join("; ") : value}`;
  });
  return visible(parts.join(", ") || "not there");
}

/** How the answer begins; the server gives so much of it, and anchors that are left out would hide that it goes on. */
function opening({ opening: words = "" }) {
  const shown = clip(words, 110);
  return words.length < 120 || shown.endsWith("…") ? shown : `${shown}…`;
}
