// Documents that a report quotes but that came without their text are fetched from the memory.

import { get } from "./api.js";

export async function gatherDocuments(report, documents = []) {
  const held = new Map(documents.map((document) => [document.id, document]));
  const quoted = new Set(report.claims.flatMap((claim) => (claim.evidence ?? []).map((item) => item.document)));
  for (const id of quoted) {
    if (held.has(id)) continue;
    try {
      held.set(id, await get(`v1/documents/${encodeURIComponent(id)}`));
    } catch {
      // It may have been taken out since; the evidence list then says that the source is not at hand.
    }
  }
  return [...held.values()];
}
