// Draws the OpenAPI document of this server: operations with parameters, bodies, answers, and a form to try each.
const root = document.getElementById("main");
const contents = document.getElementById("contents");

function make(name, properties = {}, ...inside) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...inside);
  return node;
}

function resolve(schema, all) {
  return schema?.$ref ? all[schema.$ref.split("/").pop()] : schema;
}

function typeOf(schema, all, depth = 0) {
  if (!schema) return "anything";
  if (schema.$ref) return depth > 2 ? schema.$ref.split("/").pop() : typeOf(resolve(schema, all), all, depth + 1);
  const some = schema.anyOf ?? schema.oneOf;
  if (some) return some.map((one) => typeOf(one, all, depth)).join(" or ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeOf(schema.items, all, depth)}`;
  if (schema.properties) return schema.title ?? "object";
  return Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type ?? "anything";
}

function table(schema, all) {
  const whole = resolve(schema, all);
  if (!whole?.properties) return make("p", {}, typeOf(schema, all));
  const rows = Object.entries(whole.properties).map(([name, one]) =>
    make("tr", {},
      make("td", {}, make("code", {}, name), whole.required?.includes(name) ? " (needed)" : ""),
      make("td", {}, typeOf(one, all)),
      make("td", {}, one.description ?? "")));
  return make("table", {}, make("tbody", {}, ...rows));
}

function tryIt(path, method, operation, body, all) {
  const fields = {};
  const form = make("div");
  for (const one of operation.parameters ?? []) {
    fields[one.name] = make("input", { placeholder: one.schema?.default ?? "" });
    form.append(make("p", {}, make("label", {}, `${one.name} `, fields[one.name])));
  }
  const example = resolve(body, all)?.examples?.[0];
  const text = body && make("textarea", { rows: 10, spellcheck: false, value: JSON.stringify(example ?? {}, null, 2) });
  if (text) form.append(make("label", {}, "Body ", text));
  const answer = make("pre", { hidden: true, tabIndex: 0 });
  const send = make("button", { type: "button" }, "Send");
  send.onclick = async () => {
    let address = path.slice(1);
    const query = new URLSearchParams();
    const headers = {};
    for (const one of operation.parameters ?? []) {
      const value = fields[one.name].value;
      if (one.in === "path") address = address.replace(`{${one.name}}`, encodeURIComponent(value));
      else if (value && one.in === "query") query.set(one.name, value);
      else if (value) headers[one.name] = value;
    }
    const key = document.getElementById("key").value;
    if (key) headers.Authorization = `Bearer ${key}`;
    if (text) headers["Content-Type"] = "application/json";
    answer.hidden = false;
    answer.textContent = "…";
    try {
      const got = await fetch(`${address}${query.size ? `?${query}` : ""}`, { method: method.toUpperCase(), headers, body: text?.value });
      const said = await got.text();
      let shown = said;
      try { shown = JSON.stringify(JSON.parse(said), null, 2); } catch { /* not JSON: shown as it is */ }
      answer.textContent = `${got.status} ${got.statusText}\n\n${shown}`;
    } catch (problem) {
      answer.textContent = `The server could not be reached: ${problem.message}`;
    }
  };
  form.append(make("p", {}, send), answer);
  return form;
}

function describe(path, method, operation, all) {
  const contentOf = (holder) => Object.values(holder?.content ?? {})[0]?.schema;
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  const id = `${method}-${path}`;
  const node = make("details", { id },
    make("summary", {}, make("b", {}, method.toUpperCase()), make("code", {}, path), make("span", {}, ` ${operation.summary}`)));
  if (operation.parameters?.length) {
    const rows = operation.parameters.map((one) => make("tr", {},
      make("td", {}, make("code", {}, one.name), ` in the ${one.in}`), make("td", {}, typeOf(one.schema, all)),
      make("td", {}, one.description ?? "")));
    node.append(make("h3", {}, "Parameters"), make("table", {}, make("tbody", {}, ...rows)));
  }
  if (operation.requestBody) node.append(make("h3", {}, "Body"), table(contentOf(operation.requestBody), all));
  for (const [status, one] of Object.entries(operation.responses)) {
    if (Number(status) >= 300) continue;
    node.append(make("h3", {}, `Answer ${status}`), make("p", {}, one.description), table(contentOf(one), all));
  }
  const refused = Object.entries(operation.responses).filter(([status]) => Number(status) >= 300);
  node.append(make("p", {}, refused.map(([status, one]) => `${status} ${one.description}`).join(" · ")));
  if (!operation.requestBody || body) node.append(make("h3", {}, "Try it"), tryIt(path, method, operation, body, all));
  node.dataset.words = `${method} ${path} ${operation.summary} ${operation.tags?.join(" ")}`.toLowerCase();
  contents.firstChild.append(make("li", {}, make("a", { href: `#${encodeURIComponent(id)}`, onclick: () => (node.open = true) }, path)));
  return node;
}

try {
  const got = await fetch("v1/openapi.json");
  const whole = await got.json();
  const all = whole.components?.schemas ?? {};
  contents.append(make("ul"));
  const groups = new Map();
  for (const [path, methods] of Object.entries(whole.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      if (!groups.has(tag)) groups.set(tag, make("section", {}, make("h2", {}, tag)));
      groups.get(tag).append(describe(path, method, operation, all));
    }
  root.replaceChildren(...groups.values());
} catch (problem) {
  root.replaceChildren(make("p", { role: "alert" }, `The document could not be read: ${problem.message}`));
}
root.ariaBusy = "false";
document.getElementById("find").oninput = (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const node of root.querySelectorAll("details")) node.hidden = !words.every((word) => node.dataset.words.includes(word));
};
