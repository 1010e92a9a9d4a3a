import type { VerifyResponse } from "./generated.js";

/** A report on an answer, claim by claim. */
export type Report = VerifyResponse;
/** One claim with its verdict and its quotes. */
export type Finding = Report["claims"][number];

/** What `POST /v1/stream` tells while an answer is checked. */
export type StreamEvent =
  | { event: "token"; data: { text: string } }
  | { event: "claim"; data: { text: string; spans: { start: number; end: number }[]; checkable: boolean; reason: string } }
  | { event: "finding"; data: { finding: Finding } }
  | { event: "halt"; data: { reason: string; finding: Finding | null } }
  | { event: "retract"; data: { start: number; end: number; text: string } }
  | { event: "branch"; data: { number: number } }
  | { event: "done"; data: { report: Report; run_id: string | null; halted: boolean; [name: string]: unknown } }
  | { event: "error"; data: { status: number; detail: string; type: string; [name: string]: unknown } };

/** The events of a body of server-sent events; it is cancelled when the reader leaves. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const frames = rest.split(/\r?\n\r?\n/);
      rest = frames.pop() ?? "";
      if (done && rest.trim()) frames.push(rest);
      for (const frame of frames) {
        const event = parseFrame(frame);
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseFrame(frame: string): StreamEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of frame.split(/\r?\n/)) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? ({ event, data: JSON.parse(data.join("\n")) } as StreamEvent) : undefined;
}

/** A stream that broke off, or that the server ended with an error. */
export class StreamFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StreamFailure";
  }
}

/** What is left of a stream at its end. */
export interface Watched {
  /** The text a reader is left with, without what was taken back. */
  text: string;
  halted: boolean;
  reason: string | null;
  report: Report;
  runId: string | null;
}

/**
 * Reads a stream to its end. `onText` gets the text to show, whole, whenever it changes: it grows, and becomes shorter
 * where something is taken back. Offsets of the server count characters, not UTF-16 units.
 */
export async function watch(events: AsyncIterable<StreamEvent>, onText?: (text: string) => void): Promise<Watched> {
  let shown: string[] = [];
  let reason: string | null = null;
  const tell = () => onText?.(shown.join(""));
  for await (const item of events) {
    switch (item.event) {
      case "token":
        shown.push(...item.data.text);
        tell();
        break;
      case "retract":
        shown = shown.slice(0, item.data.start);
        tell();
        break;
      case "branch":
        shown = [];
        reason = null;
        tell();
        break;
      case "halt":
        reason = item.data.reason;
        break;
      case "error":
        throw new StreamFailure(item.data.detail);
      case "done": {
        const { halted, report, run_id } = item.data;
        return { text: shown.join(""), halted, reason, report, runId: run_id };
      }
    }
  }
  throw new StreamFailure("the stream ended before the answer was checked to its end");
}
