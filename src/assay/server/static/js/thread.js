// The thread: one line of ink from the chosen claim to the quote that decided it, while both are in sight.

import { s } from "./dom.js";

/** A thread drawn over `frame`, from the edge of `gutter` into the scrolling `box`; `tie` sets its ends, the first one in pieces. */
export function spin(frame, gutter, box) {
  const path = s("path", {});
  const end = s("circle", { r: 2.5 });
  const layer = s("svg", { class: "thread", "aria-hidden": "true", focusable: "false" }, path, end);
  frame.append(layer);
  let ends = null;
  let waiting = 0;

  const draw = () => {
    waiting = 0;
    const [from, to] = ends ?? [];
    const shown = from?.[0]?.isConnected && to?.isConnected && getComputedStyle(layer).display !== "none";
    const origin = frame.getBoundingClientRect();
    const target = shown && firstLine(to);
    const start = shown && nearestLine(from);
    const room = box.getBoundingClientRect();
    if (!start || target.bottom < room.top + 4 || target.top > room.bottom - 4) {
      layer.classList.remove("tied");
      return;
    }
    // It runs down the gutter and ends at the margin of the source, whichever way the lines are written: never across words.
    const [x1, y1] = [gutter.getBoundingClientRect().right - origin.left + 8, start.top + start.height / 2 - origin.top];
    const text = (to.closest(".excerpt") ?? to).getBoundingClientRect();
    const [x2, y2] = [text.left - origin.left - 8, target.top + target.height / 2 - origin.top];
    const down = (x1 + room.left - origin.left) / 2;
    const turn = Math.min(12, Math.abs(y2 - y1) / 2, Math.max(0, down - x1));
    const way = Math.sign(y2 - y1) * turn;
    const bends = `H${down - turn}q${turn} 0 ${turn} ${way}V${y2 - way}q0 ${way} ${turn} ${way}`;
    path.setAttribute("d", `M${x1 - 5} ${y1 - 5}v10M${x1 - 5} ${y1}${bends}H${x2}`);
    end.setAttribute("cx", x2);
    end.setAttribute("cy", y2);
    layer.setAttribute("class", `thread tied ${[...to.classList].find((name) => name !== "chosen") ?? ""}`);
  };
  const later = () => {
    waiting ||= requestAnimationFrame(draw);
  };
  box.addEventListener("scroll", later, { passive: true });
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later);
  return {
    tie(from, to) {
      ends = from && to ? [from, to] : null;
      later();
    },
    cut() {
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
      layer.remove();
    },
  };
}

const lines = (element) => [...element.getClientRects()].filter((line) => line.width > 0);
const firstLine = (element) => lines(element)[0] ?? element.getBoundingClientRect();

/** The line of a claim that comes nearest to the gutter: no words of another claim then stand between it and the thread.
 *  Where the claim stands in the answer more than once, it is one that is in sight. */
function nearestLine(pieces) {
  const all = pieces.flatMap(lines);
  const seen = all.filter((line) => line.top >= 0 && line.bottom <= innerHeight);
  return (seen.length ? seen : all).reduce((best, line) => (best && line.right <= best.right + 1 ? best : line), null);
}
