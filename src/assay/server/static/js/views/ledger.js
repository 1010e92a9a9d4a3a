// Ledger: one entry for each claim of a run, what it adds up to, and the whole of it as a file.

import { fetchFile, get } from "../api.js";
import { announce, download, h, punch, tell } from "../dom.js";
import { LEDGER, clip, percent, place, plain, share, visible, when } from "../words.js";

const FORMS = { json: "JSON", md: "Markdown", html: "HTML", csv: "CSV" };
const IMPORTANCE = ["critical", "material", "minor"];

export function mount(host, office) {
  const chooser = h("select", { id: "ledger-run", onchange: () => (location.hash = `#/ledger/${encodeURIComponent(chooser.value)}`) });
  const body = h("div", {});
  const message = h("p", { class: "message", role: "alert" });
  const exports = h(
    "div",
    { class: "tools", role: "group", "aria-label": "Export" },
    h("span", { class: "aside" }, "Export"),
    Object.entries(FORMS).map(([form, word]) => h("button", { type: "button", class: "quiet", onclick: () => save(form) }, word)),
  );
  host.append(
    h("h1", { id: "ledger-title", tabindex: -1 }, "Ledger"),
    h("div", { class: "bar" }, h("label", { class: "choice" }, "Run ", chooser), exports),
    message,
    body,
  );
  let shown = null;

  async function enter([wanted]) {
    message.textContent = "";
    try {
      const { audits: runs } = await get("v1/audits?limit=50");
      const id = wanted || office.run?.runId || runs[0]?.id;
      exports.hidden = !id;
      if (!id) {
        chooser.replaceChildren();
        body.replaceChildren(h("p", { class: "empty" }, "Nothing has been recorded yet. ", h("a", { href: "#/check" }, "Check an answer"), " and its ledger stands here."));
        return;
      }
      const listed = runs.some((run) => run.id === id) ? runs : [{ id, opening: "" }, ...runs];
      chooser.replaceChildren(...listed.map((run) => h("option", { value: run.id, selected: run.id === id }, label(run))));
      shown = id;
      const text = await (await fetchFile(`v1/audits/${encodeURIComponent(id)}/export?format=json`)).text();
      draw(JSON.parse(text));
    } catch (error) {
      tell(message, error.message, () => enter([wanted]));
      body.replaceChildren();
    }
  }

  async function save(form) {
    try {
      download(`ledger-${shown}.${form}`, await fetchFile(`v1/audits/${encodeURIComponent(shown)}/export?format=${form}`));
      announce(`Ledger saved as ${FORMS[form]}.`);
    } catch (error) {
      tell(message, error.message, () => save(form));
    }
  }

  function draw(ledger) {
    let verdict = null;
    const importance = h("select", { id: "importance", onchange: () => sift() }, h("option", { value: "" }, "all"), IMPORTANCE.map((name) => h("option", { value: name }, name)));
    const rows = ledger.entries.map(row);
    const tally = h("p", { class: "note", role: "status" });
    const buttons = Object.entries(LEDGER).map(([name, sign]) =>
      h(
        "button",
        { type: "button", class: `filter ${sign.name}`, "aria-pressed": "false", "data-verdict": name, onclick: () => choose(name) },
        punch(sign.name),
        h("span", { class: "word" }, sign.word),
        h("span", { class: "count" }, String(ledger.summary.verdicts[name] ?? 0)),
      ),
    );
    function choose(name) {
      verdict = verdict === name ? null : name;
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.verdict === verdict));
      sift();
    }
    function sift() {
      for (const [at, entry] of ledger.entries.entries()) {
        rows[at].hidden = (verdict !== null && entry.verdict !== verdict) || (importance.value !== "" && entry.importance !== importance.value);
      }
      const kept = rows.filter((one) => !one.hidden).length;
      if (!rows.length) tally.textContent = "There are no entries: no answer was given, or it states nothing that can be checked.";
      else tally.textContent = kept === rows.length ? (kept === 1 ? "1 entry" : `${kept} entries`) : `${kept} of ${rows.length} entries`;
    }
    body.replaceChildren(
      ledger.question ? h("p", { class: "question" }, visible(ledger.question)) : "",
      gates(ledger.gates),
      h("div", { class: "bar" }, h("div", { class: "filters", role: "group", "aria-label": "Show entries by verdict" }, buttons), h("label", { class: "choice" }, "Importance ", importance)),
      h(
        "table",
        { class: "ledger-table", hidden: !rows.length },
        h("caption", { class: "unseen" }, "Entries of the ledger"),
        h("thead", {}, h("tr", {}, ["", "Claim", "Weight", "Verdict", "Confidence"].map((word, at) => h("th", { scope: "col", class: ["number", "", "", "", "figure"][at] }, word || h("span", { class: "unseen" }, "Number"))))),
        h("tbody", {}, rows),
      ),
      tally,
      aside("Open questions", ledger.follow_up),
      aside("Warnings", ledger.warnings),
      left(ledger.summary.not_entered),
    );
    sift();
  }

  return { enter };
}

const label = (run) => [run.time && when(run.time), clip(run.question || run.opening || run.id, 60)].filter(Boolean).join(" · ");

function row(entry, at) {
  const sign = LEDGER[entry.verdict] ?? { name: "error", word: plain(entry.verdict) };
  return h(
    "tr",
    { class: sign.name, "data-verdict": entry.verdict },
    h("td", { class: "number" }, String(at + 1)),
    h(
      "td",
      { class: "claim-cell" },
      h("p", { class: "statement", dir: "auto" }, visible(entry.claim)),
      entry.notes.map((note) => h("p", { class: "reason" }, visible(note))),
      entry.receipts.map((receipt) => h("p", { class: `receipt-line ${receipt.stance}` }, h("q", {}, clip(receipt.quote, 180)), " ", h("span", { class: "place" }, visible(place(receipt))))),
    ),
    h("td", { "data-label": "Weight" }, `${entry.importance}, ${entry.kind}`),
    h("td", { "data-label": "Verdict" }, h("span", { class: "sealed" }, punch(sign.name), sign.word)),
    h("td", { class: "figure", "data-label": "Confidence" }, share(entry.confidence)),
  );
}

function left(count) {
  if (!count) return "";
  const said = count === 1 ? "One claim states nothing or could not be checked; it is" : `${count} claims state nothing or could not be checked; they are`;
  return h("p", { class: "note" }, `${said} counted, not entered.`);
}

const GATES = {
  coverage: { word: "Coverage", show: percent, rule: (bound) => `at least ${percent(bound)}` },
  unsupported_rate: { word: "Not confirmed", show: percent, rule: (bound) => `at most ${percent(bound)}` },
  critical_unsupported: { word: "Critical and not confirmed", show: (value) => String(value), rule: () => "none" },
  contradictions: { word: "Contradicted", show: (value) => String(value), rule: () => "none" },
};

function gates(list) {
  return h(
    "ul",
    { class: "gates", "aria-label": "Gates" },
    list.map((gate) => {
      const { word, show, rule } = GATES[gate.name] ?? { word: plain(gate.name), show: String, rule: String };
      const state = gate.passed === null ? "not-checkable" : gate.passed ? "supported" : "refuted";
      const said = gate.passed === null ? "nothing to weigh" : gate.passed ? "passed" : visible(gate.otherwise);
      return h(
        "li",
        { class: state },
        h("span", { class: "gate-name" }, word),
        h("span", { class: "gate-value" }, gate.value === null ? "n/a" : show(gate.value)),
        h("span", { class: "gate-rule" }, punch(gate.passed === null ? "not-checkable" : gate.passed ? "passed" : "failed"), `${said}; ${rule(gate.bound)}`),
      );
    }),
  );
}

const aside = (title, lines = []) =>
  lines.length ? h("section", { class: "remarks" }, h("h3", {}, title), h("ul", {}, lines.map((line) => h("li", {}, visible(line))))) : "";
