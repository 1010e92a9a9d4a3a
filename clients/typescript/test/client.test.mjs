// Against a running server: ASSAY_URL=http://127.0.0.1:8017 node --test test/
import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { AssayClient, AssayError, StreamFailure, readEvents, watch } from "assay-client";
import { assayMiddleware } from "assay-client/ai-sdk";

const SOURCE = "Mount Everest is 8,849 m high. Hillary and Tenzing first climbed it in 1953.";
const TRUE = "Hillary and Tenzing first climbed it in 1953.";
const FALSE = "Mount Everest is 8,489 m high.";
const client = new AssayClient({ baseUrl: process.env.ASSAY_URL });
const unchecked = { judge: "lexical", record: false };

test("an answer is verified, and its receipts point into both texts", async () => {
  const report = await client.verify({ answer: `${TRUE} ${FALSE}`, sources: [SOURCE], ...unchecked });
  assert.equal(report.verdict, "REFUTED");
  const wrong = report.claims.find((claim) => claim.verdict === "REFUTED");
  const [quote] = wrong.evidence;
  assert.equal(SOURCE.slice(quote.start, quote.end), quote.quote);
});

test("what the server refuses is an error that says what was wrong", async () => {
  await assert.rejects(client.verify({ answer: "x", sorces: [] }), (error) => {
    assert.ok(error instanceof AssayError);
    assert.equal(error.status, 422);
    assert.match(error.message, /sorces/);
    assert.ok(error.requestId);
    return true;
  });
  await assert.rejects(client.getRun("nothing"), { status: 404 });
});

test("documents are stored, listed by pages, found and taken out; ids may hold slashes", async () => {
  const documents = ["a/1", "a/2", "a/3"].map((id) => ({ id, text: `${SOURCE} It is number ${id}.` }));
  const added = await client.addDocuments({ documents }, { idempotencyKey: "once" });
  assert.deepEqual(await client.addDocuments({ documents }, { idempotencyKey: "once" }), added);
  const first = await client.listDocuments({ limit: 2 });
  const second = await client.listDocuments({ limit: 2, cursor: first.next_cursor });
  assert.deepEqual([...first.documents, ...second.documents].map((one) => one.id).sort(), ["a/1", "a/2", "a/3"]);
  assert.equal(second.next_cursor, null);
  assert.equal((await client.getDocument("a/2")).id, "a/2");
  assert.ok((await client.retrieve({ query: "How high is Everest?" })).passages.length);
  for (const { id } of documents) await client.removeDocument(id);
  assert.equal((await client.listDocuments()).total, 0);
});

test("files are read", async () => {
  const form = new FormData();
  form.append("files", new Blob([SOURCE]), "everest.txt");
  assert.equal((await client.read(form)).documents[0].text, SOURCE);
});

test("a run is exported as a text", async () => {
  const { run_id } = await client.verify({ answer: TRUE, sources: [SOURCE], judge: "lexical" });
  assert.match(await client.export(run_id, { format: "md" }), /Hillary/);
});

test("a stream is watched to its end, and what is refuted is not left in it", async () => {
  const seen = [];
  const body = { answer: `${TRUE} ${FALSE} ${TRUE}`, sources: [SOURCE], judge: "lexical" };
  for (const release of ["stream", "hold", "end"]) {
    const got = await watch(client.stream({ ...body, release }), (text) => seen.push(text));
    assert.equal(got.halted, true);
    assert.match(got.reason, /8,849/);
    assert.ok(!got.text.includes("8,489"), release);
    assert.equal(got.report.verdict, "REFUTED");
  }
  const whole = await watch(client.stream({ answer: TRUE, sources: [SOURCE], judge: "lexical" }), (text) => seen.push(text));
  assert.deepEqual([whole.text, whole.halted, seen.at(-1)], [TRUE, false, TRUE]);
});

test("a stream that is left is closed, and one that breaks off is no result", async () => {
  let closed = false;
  const frames = ['event: token\ndata: {"te', 'xt":"é"}\r\n\r\n', 'event: token\ndata: {"text":"b"}\n\n'];
  const body = () =>
    new ReadableStream({
      pull(controller) {
        const next = frames.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(next));
      },
      cancel() {
        closed = true;
      },
    });
  for await (const item of readEvents(body())) {
    assert.deepEqual(item, { event: "token", data: { text: "é" } });
    break;
  }
  assert.equal(closed, true);
  await assert.rejects(watch(readEvents(body())), StreamFailure);
});

test("a request that is refused for the moment is sent again when the server says", async () => {
  let asked = 0;
  const busy = new Response('{"detail":"full"}', { status: 429, headers: { "retry-after": "0" } });
  const patient = new AssayClient({ fetch: async () => (asked++ ? Response.json({ status: "ok" }) : busy) });
  assert.equal((await patient.health()).status, "ok");
  const never = async () => new Response("{}", { status: 503, headers: { "retry-after": "600" } });
  await assert.rejects(new AssayClient({ fetch: never }).health(), { status: 503, retryAfter: 600 });
});

// The middleware of the Vercel AI SDK

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = { unified: "stop", raw: "stop" };

function model(text, options = {}) {
  const chunks = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    ...text.split(/(?<= )/).map((delta) => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "finish", finishReason, usage },
  ];
  const inner = new MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: "text", text }], finishReason, usage, warnings: [] }),
    doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
  });
  const middleware = assayMiddleware({ client, sources: [SOURCE], judge: "lexical", ...options });
  return wrapLanguageModel({ model: inner, middleware });
}

test("the middleware replaces a refuted answer and lets a grounded one through", async () => {
  const good = await generateText({ model: model(TRUE), prompt: "Tell me." });
  assert.equal(good.text, TRUE);
  assert.equal(good.providerMetadata.assay.verdict, "SUPPORTED");
  const bad = await generateText({ model: model(FALSE), prompt: "Tell me." });
  assert.ok(!bad.text.includes("8,489"));
  assert.match(bad.text, /cannot provide a verified answer.*8,849/);
  assert.equal(bad.finishReason, "content-filter");
});

test("the middleware shows nothing of a stream before it is checked", async () => {
  for (const [text, reason] of [[TRUE, "stop"], [`${TRUE} ${FALSE}`, "content-filter"]]) {
    const got = streamText({ model: model(text), prompt: "Tell me." });
    let shown = "";
    for await (const piece of got.textStream) shown += piece;
    assert.ok(!shown.includes("8,489"));
    assert.equal(await got.finishReason, reason);
    if (reason === "stop") assert.equal(shown, TRUE);
    assert.ok((await got.providerMetadata).assay.verdict);
  }
});

test("annotate leaves the answer alone and puts the report beside it", async () => {
  const got = streamText({ model: model(FALSE, { mode: "annotate" }), prompt: "Tell me." });
  let shown = "";
  for await (const piece of got.textStream) shown += piece;
  assert.equal(shown, FALSE);
  assert.equal((await got.providerMetadata).assay.verdict, "REFUTED");
});

test("without sources the context in the prompt is what answers are checked against", async () => {
  const got = await generateText({ model: model(FALSE, { sources: undefined }), system: SOURCE, prompt: "Tell me." });
  assert.equal(got.finishReason, "content-filter");
});
