// The one door to the server: the key, the errors and the stream are handled here.

let key = remembered();
let whenLocked = () => {};

function remembered() {
  try {
    return sessionStorage.getItem("assay-key") ?? "";
  } catch {
    return "";
  }
}

const UNREACHABLE = "The server cannot be reached. Is it still running?";

/** An answer of the server that is not what was asked for, with its own explanation. */
export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail || title || `the server answered ${status}`);
    this.status = status;
    this.title = title;
  }
}

export function setKey(value) {
  key = value;
  try {
    if (value) sessionStorage.setItem("assay-key", value);
    else sessionStorage.removeItem("assay-key");
  } catch {
    // Without storage the key holds until the page is closed.
  }
}

/** Called when the server asks for a key; returns a promise that settles once the reader has given one. */
export const onLocked = (ask) => {
  whenLocked = ask;
};

async function send(path, { method = "GET", body, files, signal, quiet = false } = {}) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  let payload;
  if (files) {
    payload = new FormData();
    for (const file of files) payload.append("files", file, file.name);
  } else if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    payload = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, { method, headers, body: payload, signal, redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "No answer", UNREACHABLE);
  }
  if (response.status === 401 && !quiet && (await whenLocked())) return send(path, { method, body, files, signal });
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  const text = await response.text();
  try {
    const { title, detail } = JSON.parse(text);
    const said = typeof detail === "string" ? detail : detail && JSON.stringify(detail);
    return new Problem(response.status, title, said);
  } catch {
    return new Problem(response.status, response.statusText, text.slice(0, 300));
  }
}

/** A part of the page that is fetched when it is first wanted, like "./answer.js". */
export async function load(path) {
  try {
    return await import(path);
  } catch (error) {
    if (error instanceof TypeError && /import/i.test(error.message)) throw new Problem(0, "No answer", UNREACHABLE);
    throw error;
  }
}

export const get = async (path) => (await send(path)).json();
export const post = async (path, body, { signal } = {}) => (await send(path, { method: "POST", body, signal })).json();
export const upload = async (path, files) => (await send(path, { method: "POST", files })).json();
export const remove = async (path) => {
  await send(path, { method: "DELETE" });
};
export const fetchFile = async (path) => (await send(path)).blob();

/** Checks an answer; `watch` hears of the claims, then of their findings as they come. Gives the report. */
export async function verify(body, { signal, watch = () => {}, quiet = false } = {}) {
  let claims = [];
  for await (const { event, data } of stream("v1/verify/stream", body, signal, quiet)) {
    if (event === "error") throw new Problem(data.status ?? 0, data.title, data.detail);
    if (event === "report") return data;
    if (event === "claims") claims = data.claims.map((claim) => ({ ...claim, verdict: "PENDING" }));
    else if (event === "findings") claims.splice(data.start, data.findings.length, ...data.findings);
    watch(claims, claims.filter((claim) => claim.verdict !== "PENDING").length);
  }
  throw new Problem(0, "No answer", "The server broke off before the report. Is it still running?");
}

/** Server-sent events of a POST, as {event, data} one after the other. */
export async function* stream(path, body, signal, quiet = false) {
  const response = await send(path, { method: "POST", body, signal, quiet });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, "Broken off", "The connection to the server broke off. Is it still running?");
    });
    waiting = (waiting + (value ?? "")).replaceAll("\r\n", "\n");
    const blocks = waiting.split("\n\n");
    waiting = done ? "" : blocks.pop();
    for (const block of blocks) {
      const message = readBlock(block);
      if (message) yield message;
    }
    if (done) return;
  }
}

function readBlock(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (!data.length) return null;
  const text = data.join("\n");
  try {
    return { event, data: JSON.parse(text) };
  } catch {
    return { event, data: text };
  }
}
