import { readEvents, type StreamEvent } from "./stream.js";

export interface ClientOptions {
  /** Where the server is; the default is the one on this machine. */
  baseUrl?: string;
  /** Sent as a bearer token. */
  apiKey?: string;
  headers?: Record<string, string>;
  /** How often a request that was refused for the moment (429, 503) is sent again. */
  retries?: number;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** A write that is sent again with the same key is not done twice. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** What is sent with a call beside its path. */
export interface Sent {
  body?: unknown;
  form?: FormData;
  query?: Record<string, unknown>;
  options?: CallOptions;
}

/** A request that the server refused, in the words of its problem document. */
export class AssayError extends Error {
  readonly status: number;
  /** For example `urn:assay:problem:capacity`. */
  readonly type: string;
  readonly requestId: string;
  /** Seconds after which it may be tried again, if the server said so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Record<string, unknown>, retryAfter?: number) {
    super(String(problem["detail"] ?? problem["title"] ?? `the server answered ${status}`));
    this.name = "AssayError";
    this.status = status;
    this.type = String(problem["type"] ?? "about:blank");
    this.requestId = String(problem["request_id"] ?? "");
    this.retryAfter = retryAfter;
  }
}

const LONGEST_WAIT = 30; // seconds that a refused request waits before it is sent again

/** How calls reach the server: address, key, retries and errors. */
export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    this.#base = (options.baseUrl ?? "http://127.0.0.1:8017").replace(/\/+$/, "");
    this.#headers = { ...options.headers, ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}) };
    this.#retries = options.retries ?? 2;
    this.#fetch = options.fetch ?? fetch;
  }

  protected async json<T>(method: string, path: string, sent: Sent): Promise<T> {
    return (await (await this.#send(method, path, sent)).json()) as T;
  }

  protected async text(method: string, path: string, sent: Sent): Promise<string> {
    return (await this.#send(method, path, sent)).text();
  }

  /** The events of a stream; leaving the loop early closes the connection. */
  protected async *events(method: string, path: string, sent: Sent): AsyncGenerator<StreamEvent, void> {
    const answer = await this.#send(method, path, sent);
    if (answer.body === null) throw new AssayError(answer.status, { detail: "the server sent a stream without a body" });
    yield* readEvents(answer.body);
  }

  async #send(method: string, path: string, sent: Sent): Promise<Response> {
    const headers: Record<string, string> = { ...this.#headers, ...sent.options?.headers };
    if (sent.options?.idempotencyKey) headers["idempotency-key"] = sent.options.idempotencyKey;
    const request: RequestInit = { method, headers };
    if (sent.options?.signal) request.signal = sent.options.signal;
    if (sent.form) request.body = sent.form;
    else if (sent.body !== undefined) {
      request.body = JSON.stringify(sent.body);
      headers["content-type"] = "application/json";
    }
    const address = this.#base + path + queryOf(sent.query ?? {});
    for (let tried = 0; ; tried++) {
      const answer = await this.#fetch(address, request);
      if (answer.ok) return answer;
      const problem = await problemOf(answer);
      const wait = problem.retryAfter;
      // Refused before anything was done: nothing is done twice by sending it again.
      const refused = answer.status === 429 || answer.status === 503;
      if (!refused || wait === undefined || wait > LONGEST_WAIT || tried >= this.#retries) throw problem;
      await pause(wait * 1000, sent.options?.signal);
    }
  }
}

function queryOf(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}

async function problemOf(answer: Response): Promise<AssayError> {
  const told = Number(answer.headers.get("retry-after") ?? NaN);
  const text = await answer.text();
  let problem: Record<string, unknown> = { detail: text || answer.statusText };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) problem = parsed as Record<string, unknown>;
  } catch {
    // a proxy in between that does not speak JSON: its words are the detail
  }
  return new AssayError(answer.status, problem, Number.isFinite(told) ? told : undefined);
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
