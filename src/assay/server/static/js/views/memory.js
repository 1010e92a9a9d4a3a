// Memory: the documents that questions are answered from, and a map of what lies near what.

import { get, post, remove, upload } from "../api.js";
import { announce, h } from "../dom.js";
import { acceptDrops } from "../files.js";
import { drawMap } from "../map.js";
import { clip, counted, visible, when } from "../words.js";

export function mount(host) {
  const message = h("p", { class: "message", role: "alert" });
  const title = h("input", { type: "text", id: "memory-name", autocomplete: "off" });
  const text = h("textarea", { id: "memory-text", rows: 5, spellcheck: "false", dir: "auto" });
  const chooser = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => addFiles([...chooser.files]) });
  const list = h("div", {});
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
    h("div", { class: "halves" }, h("section", { "aria-label": "Map" }, chart), form),
    h("section", { "aria-label": "Documents" }, list),
  );

  const tell = (text_, plainly = false) => {
    message.textContent = text_;
    message.classList.toggle("plain", plainly);
  };

  async function change(work, said) {
    tell("Working.", true);
    try {
      const result = await work();
      const refused = (result?.refused ?? []).map((item) => item.reason ?? String(item));
      tell(refused.join(" "));
      announce(said);
      await enter();
    } catch (error) {
      tell(error.message);
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
    change(() => upload("v1/documents/files", files), "Added.");
    chooser.value = "";
  }

  async function enter() {
    try {
      const [held, map] = await Promise.all([get("v1/documents"), get("v1/memory/map")]);
      list.replaceChildren(table(held.documents, held.total ?? held.documents.length, (id) => change(() => remove(`v1/documents/${encodeURIComponent(id)}`), "Removed.")));
      chart.replaceChildren(...drawMap(map));
    } catch (error) {
      tell(error.message);
    }
  }

  return { enter };
}

function table(documents, total, take) {
  if (!documents.length) return h("p", { class: "empty" }, "The memory is empty. What is added here backs the answers under Ask, and under Check where it is ticked.");
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
          h("td", { class: "claim-cell" }, h("p", { class: "statement" }, clip(document.title || document.id, 120)), document.title && document.title !== document.id ? h("p", { class: "place" }, visible(document.id)) : ""),
          h("td", { class: "figure", "data-label": "Passages" }, String(document.passages ?? "")),
          h("td", { class: "figure", "data-label": "Version" }, String(document.version ?? 1)),
          h("td", { "data-label": "Added" }, when(document.added_at)),
          h("td", {}, h("button", { type: "button", class: "quiet", "aria-label": `Remove ${document.id}`, onclick: () => take(document.id) }, "Remove")),
        ),
      ),
    ),
  );
}
