// Memory: the documents that questions are answered from, and a map of what lies near what.

import { get, post, remove } from "../api.js";
import { announce, h, tell as say } from "../dom.js";
import { acceptDrops, sendFiles } from "../files.js";
import { drawMap } from "../map.js";
import { drawSources } from "../sources.js";
import { clip, counted, visible, when } from "../words.js";

export function mount(host) {
  const message = h("p", { class: "message", role: "alert" });
  const title = h("input", { type: "text", id: "memory-name", autocomplete: "off" });
  const text = h("textarea", { id: "memory-text", rows: 5, spellcheck: "false", dir: "auto" });
  const chooser = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => addFiles([...chooser.files]) });
  const list = h("div", {});
  const undo = h("p", { class: "tools undo", role: "status" });
  const opened = h("div", {});
  const chart = h("div", { class: "chart-box" });
  const form = h(
    "form",
    { class: "memory-form", onsubmit: (event) => (event.preventDefault(), addText()) },
    h("h2", {}, "Add a document"),
    h("label", { for: title.id }, "Name"),
    title,
    h("label", { for: text.id }, "Text"),
    text,
    h(
      "p",
      { class: "tools" },
      h("button", { type: "submit", class: "primary" }, "Add"),
      h("button", { type: "button", class: "quiet", onclick: () => chooser.click() }, "Choose files"),
      h("span", { class: "aside" }, "or drop them here"),
      chooser,
    ),
    message,
  );
  acceptDrops(form, addFiles);
  host.append(
    h("h1", { id: "memory-title", tabindex: -1 }, "Memory"),
    h("div", { class: "halves" }, h("section", { "aria-label": "Documents" }, undo, list, opened), form),
    h("section", { class: "map-section", "aria-label": "Map" }, h("h2", {}, "What lies near what"), chart),
  );

  const tell = (text_, plainly = false, retry = null) => {
    say(message, text_, retry);
    message.classList.toggle("plain", plainly);
  };

  async function change(work, said) {
    tell("Working.", true);
    try {
      const result = await work();
      tell((result?.refused ?? []).map((one) => one.reason ?? one).join("\n"), false, () => change(work, said));
      announce(said);
      await enter();
    } catch (error) {
      tell(error.message, false, () => change(work, said));
    }
  }

  function addText() {
    if (!text.value.trim()) {
      tell("A document needs a text.");
      return;
    }
    const document = { text: text.value, ...(title.value.trim() ? { id: title.value.trim(), title: title.value.trim() } : {}) };
    change(async () => {
      const result = await post("v1/documents", { documents: [document] });
      title.value = "";
      text.value = "";
      return result;
    }, "Added.");
  }

  function addFiles(files) {
    change(() => sendFiles("v1/documents/files", files), "Added.");
    chooser.value = "";
  }

  async function enter() {
    try {
      const held = await get("v1/documents");
      list.replaceChildren(...table(held.documents, held.total ?? held.documents.length, { take, open }));
      // The list is there at once; the map takes its time.
      chart.replaceChildren(...drawMap(await get("v1/memory/map")));
    } catch (error) {
      tell(error.message, false, enter);
    }
  }

  async function open(id) {
    try {
      const document = await get(`v1/documents/${encodeURIComponent(id)}`);
      const close = h("button", { type: "button", class: "quiet", onclick: () => opened.replaceChildren() }, "Close");
      opened.replaceChildren(
        h("section", { class: "document", "aria-label": visible(id) }, h("p", { class: "tools" }, close), ...drawSources([document], [], [])),
      );
      opened.scrollIntoView({ block: "nearest" });
      close.focus({ preventScroll: true });
    } catch (error) {
      tell(error.message, false, () => open(id));
    }
  }

  /** Asks, removes, and offers to put it back as it was. */
  function take(id) {
    const ask = h("dialog", { class: "leaf", "aria-labelledby": "remove-title" });
    const no = h("button", { type: "button", class: "quiet", onclick: () => ask.close() }, "Keep it");
    const yes = h("button", { type: "button", class: "primary", onclick: () => (ask.close(), drop(id)) }, "Remove it");
    ask.append(h("h2", { id: "remove-title" }, `Remove ${clip(id, 80)}?`), h("p", {}, "Answers will no longer be backed by it. You can undo this until you leave the view."), h("p", { class: "tools" }, yes, no));
    ask.addEventListener("close", () => ask.remove());
    host.append(ask);
    ask.showModal();
  }

  function drop(id) {
    change(async () => {
      const kept = await get(`v1/documents/${encodeURIComponent(id)}`);
      await remove(`v1/documents/${encodeURIComponent(id)}`);
      opened.replaceChildren();
      const { title: named, text: words, date, pages, headings } = kept;
      const document = { id, text: words, pages, headings, ...(named ? { title: named } : {}), ...(date ? { date } : {}) };
      const back = () => change(() => (undo.replaceChildren(), post("v1/documents", { documents: [document] })), "Put back.");
      undo.replaceChildren(h("span", {}, `Removed ${clip(id, 80)}.`), h("button", { type: "button", class: "quiet", onclick: back }, "Undo"));
    }, "Removed.");
  }

  return { enter, leave: () => undo.replaceChildren() };
}

const SIFTED = 8; // from so many documents on, a field to find one by its name

function table(documents, total, { take, open }) {
  if (!documents.length) return [h("p", { class: "empty" }, "The memory is empty. Add a document on this page, or drop files on the form: they then back the answers under Ask, and under Check where “Search the memory too” is ticked.")];
  const made = drawTable(documents, total, { take, open });
  if (documents.length < SIFTED) return [made];
  const rows = [...made.querySelectorAll("tbody tr")];
  const found = h("span", { class: "note", role: "status" });
  const field = h("input", { type: "search", "aria-label": "Find a document by its name", placeholder: "Find a document by its name", autocomplete: "off", oninput: sift });
  function sift() {
    const words = field.value.trim().toLowerCase();
    for (const [at, document] of documents.entries()) rows[at].hidden = !`${document.title ?? ""} ${document.id}`.toLowerCase().includes(words);
    found.textContent = words ? `${rows.filter((row) => !row.hidden).length} of ${documents.length}` : "";
  }
  return [h("div", { class: "search" }, field, found), made];
}

function drawTable(documents, total, { take, open }) {
  return h(
    "table",
    { class: "ledger-table" },
    h("caption", {}, counted(total, "document")),
    h("thead", {}, h("tr", {}, ["", "Document", "Passages", "Version", "Added", ""].map((word, at) => h("th", { scope: "col", class: ["number", "", "figure", "figure"][at] ?? "" }, word || h("span", { class: "unseen" }, at ? "Remove" : "Number"))))),
    h(
      "tbody",
      {},
      documents.map((document, at) =>
        h(
          "tr",
          {},
          h("td", { class: "number" }, String(at + 1)),
          h("td", { class: "claim-cell" }, h("button", { type: "button", class: "quiet statement", "aria-label": `Open ${document.id}`, onclick: () => open(document.id) }, clip(document.title || document.id, 120)), document.title && document.title !== document.id ? h("p", { class: "place" }, visible(document.id)) : ""),
          h("td", { class: "figure", "data-label": "Passages" }, String(document.passages ?? "")),
          h("td", { class: "figure", "data-label": "Version" }, String(document.version ?? 1)),
          h("td", { "data-label": "Added" }, when(document.added_at)),
          h("td", {}, h("button", { type: "button", class: "quiet", "aria-label": `Remove ${document.id}`, onclick: () => take(document.id) }, "Remove")),
        ),
      ),
    ),
  );
}
