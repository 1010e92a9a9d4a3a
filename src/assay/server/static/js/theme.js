// Runs before the page is drawn, so that a chosen theme never flashes the other one.
(() => {
  let kept = null;
  try {
    kept = localStorage.getItem("assay-theme");
  } catch {
    // Storage may be forbidden; the system's choice then holds.
  }
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
})();
