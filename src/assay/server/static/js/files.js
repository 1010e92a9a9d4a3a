// Takes files that are dropped or chosen, and has the server read them.

import { upload } from "./api.js";

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

/** The texts of files, as the server reads them; nothing is stored. */
export async function readFiles(files) {
  const { documents, refused = [] } = await upload("v1/read", files);
  return { documents, refused };
}
