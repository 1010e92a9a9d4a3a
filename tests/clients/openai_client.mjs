// The official Node clients against a guard: node openai_client.mjs ADDRESS MODEL SOURCE; prints what a reader would see.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const [address, model, source] = process.argv.slice(2);
const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: "k", maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: address, apiKey: "k", maxRetries: 0 });
const messages = [{ role: "user", content: "Tell me about Everest, please." }];
const guard = { sources: [source] };
const seen = {};

async function attempt(name, work) {
  try {
    seen[name] = await work();
  } catch (error) {
    seen[name] = { error: String(error.message) };
  }
}

await attempt("chat", async () => {
  const got = await openai.chat.completions.create({ model, messages, ...guard });
  return { text: got.choices[0].message.content, end: got.choices[0].finish_reason, verdict: got.assay.verdict };
});
await attempt("chatStream", async () => {
  let text = "", end = null, verdict = null;
  for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true, ...guard })) {
    text += chunk.choices[0]?.delta?.content ?? "";
    end = chunk.choices[0]?.finish_reason ?? end;
    verdict = chunk.assay?.verdict ?? verdict;
  }
  return { text, end, verdict };
});
await attempt("responses", async () => {
  const got = await openai.responses.create({ model, input: "Tell me of it.", ...guard });
  return { text: got.output_text, end: got.status, verdict: got.assay.verdict };
});
await attempt("responsesStream", async () => {
  const stream = openai.responses.stream({ model, input: "Tell me of it.", ...guard });
  let text = "";
  stream.on("response.output_text.delta", (event) => (text += event.delta));
  const got = await stream.finalResponse();
  return { text, end: got.status, verdict: got.assay.verdict, repeated: got.output_text };
});
await attempt("messages", async () => {
  const got = await anthropic.messages.create({ model, messages, max_tokens: 9, ...guard });
  return { text: got.content.map((block) => block.text).join(""), end: got.stop_reason, verdict: got.assay.verdict };
});
await attempt("messagesStream", async () => {
  const stream = anthropic.messages.stream({ model, messages, max_tokens: 9, ...guard });
  const got = await stream.finalMessage();
  return { text: got.content.map((block) => block.text).join(""), end: got.stop_reason };
});
await attempt("embeddings", async () => {
  const got = await openai.embeddings.create({ model: "e", input: "x", encoding_format: "float" });
  return { vector: got.data[0].embedding };
});
console.log(JSON.stringify(seen));
