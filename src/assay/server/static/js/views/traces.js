// Traces: how an answer was reasoned out, as a tree, with every claim that its evidence does not carry.

import { get, post } from "../api.js";
import { announce, h, punch, tell } from "../dom.js";
import { acceptDrops } from "../files.js";
import { clip, counted, plain, share, signOf, visible, when } from "../words.js";

export function mount(host) {
  const message = h("p", { class: "message", role: "alert" });
  const list = h("div", { class: "trace-list" });
  const tree = h("div", { class: "trace-tree" });
  const chooser = h("input", { type: "file", accept: ".json", class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => bringIn([...chooser.files]) });
  host.append(
    h("h1", { id: "traces-title", tabindex: -1 }, "Traces"),
    h("p", { class: "lead" }, "Goals, decisions, observations and claims, as they followed from one another. A claim that its evidence does not carry is marked, with what is missing in bits."),
    h("p", { class: "tools" }, h("button", { type: "button", class: "quiet", onclick: () => chooser.click() }, "Bring in a trace"), h("span", { class: "aside" }, "or drop its JSON here"), chooser),
    message,
    h("div", { class: "trace-grid" }, list, tree),
  );
  acceptDrops(host, bringIn);

  async function bringIn(files) {
    message.textContent = "";
    try {
      const { id } = await post("v1/traces", readTrace(files[0].name, await files[0].text()));
      announce("Trace stored.");
      const target = `#/traces/${encodeURIComponent(id)}`;
      if (location.hash === target) await enter([id]);
      else location.hash = target;
    } catch (error) {
      message.textContent = error.message;
    } finally {
      chooser.value = "";
    }
  }

  async function enter([wanted]) {
    message.textContent = "";
    try {
      const { traces } = await get("v1/traces");
      const id = wanted || traces[0]?.id;
      list.hidden = !traces.length;
      if (!id) {
        tree.replaceChildren(h("p", { class: "empty" }, "No reasoning has been recorded yet. Bring in a trace as a JSON file above, or record one with the library or from OpenTelemetry spans."));
        return;
      }
      list.replaceChildren(
        h("h2", {}, counted(traces.length, "trace")),
        h(
          "ul",
          { class: "contents" },
          traces.map((one) =>
            h("li", {}, h("a", { href: `#/traces/${encodeURIComponent(one.id)}`, "aria-current": one.id === id ? "true" : null }, clip(one.goal, 90)), h("p", { class: "place" }, [counted(one.claims, "claim"), one.at ? when(one.at) : ""].filter(Boolean).join(" · "))),
          ),
        ),
      );
      const place = `v1/traces/${encodeURIComponent(id)}`;
      tree.replaceChildren(h("p", { class: "note" }, "Weighing its claims."));
      // The gaps come first: finding them verifies the claims, and the tree then shows how.
      const { gaps } = await get(`${place}/gaps`);
      draw(await get(place), gaps);
    } catch (error) {
      tree.replaceChildren();
      tell(message, error.message, () => enter([wanted]));
    }
  }

  function draw(trace, gaps) {
    const known = new Map(trace.nodes.map((node) => [node.id, node]));
    const open = new Map(gaps.map((gap) => [gap.claim_id, gap]));
    const cites = new Map();
    for (const edge of trace.edges) if (edge.kind === "cites") cites.set(edge.source, [...(cites.get(edge.source) ?? []), edge.target]);
    const branch = (parent) => trace.nodes.filter((node) => node.parent === parent && node.kind !== "verification").map(leaf);
    const leaf = (node) => {
      const below = branch(node.id);
      return h("li", {}, box(node), below.length > 0 && h("ul", {}, below));
    };
    const box = (node) => {
      const gap = open.get(node.id);
      const checked = trace.nodes.filter((other) => other.parent === node.id && other.kind === "verification").at(-1)?.data?.verification;
      return h(
        "div",
        { class: `node ${gap ? "gap-node" : ""}`, id: `node-${node.id}`, tabindex: -1, "data-kind": node.kind },
        h("p", { class: "kind" }, gap ? punch("gap") : checked && punch(signOf(checked.verdict).name), plain(node.kind), gap && h("span", { class: "gap-words" }, `, ${plain(gap.gap_type)}, ${gap.gap_bits.toFixed(1)} bits missing`)),
        h("p", {}, visible(node.text)),
        (cites.get(node.id) ?? []).length > 0 && h("p", { class: "place" }, "cites ", cites.get(node.id).map((target, at) => [at ? ", " : "", cited(target)])),
        checked && h("p", { class: "place" }, measured(checked)),
        gap && h("p", { class: "gap-words" }, visible(gap.suggested_action)),
      );
    };
    const cited = (target) =>
      known.has(target)
        ? h("a", { href: `#node-${target}`, onclick: (event) => (event.preventDefault(), reach(target)) }, clip(target, 40))
        : h("strong", {}, `${clip(target, 40)}, which is not there`);
    const root = trace.nodes.find((node) => node.parent === null || node.parent === undefined);
    tree.replaceChildren(
      h("p", { class: `seal-line ${gaps.length ? "refuted" : "supported"}`, role: "status" }, punch(gaps.length ? "gap" : "supported"), h("strong", {}, gaps.length ? `${counted(gaps.length, "gap")} in ${counted(trace.nodes.filter((node) => node.kind === "claim").length, "claim")}` : "No gaps: every claim is carried by what it cites")),
      h("ul", { class: "tree", "aria-label": "Reasoning" }, leaf(root)),
    );
  }

  function reach(id) {
    const node = document.getElementById(`node-${id}`);
    node?.focus();
    node?.scrollIntoView({ block: "nearest" });
  }

  /** j and k go from claim to claim. */
  function step(by) {
    const claims = [...tree.querySelectorAll('.node[data-kind="claim"]')];
    const next = claims[claims.indexOf(document.activeElement) + by] ?? (by > 0 ? claims[0] : null);
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  return { enter, step };
}

/** The steps and citations of an exported trace; what was verified elsewhere is verified again here. */
function readTrace(name, text) {
  let trace;
  try {
    trace = JSON.parse(text);
  } catch {
    throw new Error(`${name} is no JSON.`);
  }
  if (!Array.isArray(trace?.nodes)) throw new Error(`${name} is no trace: it needs "nodes".`);
  return {
    nodes: trace.nodes.filter((node) => node.kind !== "verification"),
    edges: (trace.edges ?? []).filter((edge) => edge.kind === "cites"),
  };
}

function measured(checked) {
  const parts = [signOf(checked.verdict).word];
  if (typeof checked.evidence_support === "number") parts.push(`support ${share(checked.evidence_support)}`);
  if (typeof checked.evidence_dependence === "number") parts.push(`dependence ${share(checked.evidence_dependence)}`);
  if (checked.explanation) parts.push(visible(checked.explanation));
  return parts.join(" · ");
}
