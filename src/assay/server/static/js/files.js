// Takes files that are dropped or chosen, and has the server read them.

import { upload } from "./api.js";
import { weight } from "./words.js";

/** Lets files be dropped on an element; `take` gets the list. */
export function acceptDrops(element, take) {
  let depth = 0;
  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  element.addEventListener("dragenter", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth += 1;
    element.classList.add("catching");
  });
  element.addEventListener("dragover", (event) => {
    if (carries(event)) event.preventDefault();
  });
  element.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (!depth) element.classList.remove("catching");
  });
  element.addEventListener("drop", (event) => {
    depth = 0;
    element.classList.remove("catching");
    if (!carries(event) || !event.dataTransfer.files.length) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}

/** Has the server read files: their `documents`, and why the others were `refused`, a line for each. */
export async function sendFiles(path, files) {
  try {
    const { documents = [], refused = [] } = await upload(path, files);
    return { documents, refused: refused.map((one) => one.reason ?? String(one)) };
  } catch (error) {
    if (error.status !== 413) throw error;
    if (files.length === 1) return { documents: [], refused: [`${files[0].name} (${weight(files[0].size)}) is too large: ${error.message}`] };
    // Too much at once: one by one, so that only a file that is too large by itself is left out.
    const parts = [];
    for (const file of files) parts.push(await sendFiles(path, [file]));
    return { documents: parts.flatMap((part) => part.documents), refused: parts.flatMap((part) => part.refused) };
  }
}

/** The texts of files; nothing is stored. */
export const readFiles = (files) => sendFiles("v1/read", files);
