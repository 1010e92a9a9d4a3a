import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3Middleware,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";

import type { AssayClient } from "./index.js";
import type { SourceIn, VerifyIn } from "./generated.js";
import type { Report } from "./stream.js";

export interface MiddlewareOptions {
  client: AssayClient;
  /**
   * `annotate` leaves the answer as it is and puts the report beside it; `block` (the default) shows nothing before it
   * is checked, and an abstention in place of an answer with a refuted claim.
   */
  mode?: "annotate" | "block";
  /** What answers are checked against; without them the system texts and the results of tools in the prompt are. */
  sources?: (string | SourceIn)[] | ((prompt: LanguageModelV3Prompt) => (string | SourceIn)[]);
  /** Also look into the documents of the server's workspace. */
  useMemory?: boolean;
  judge?: string;
  /** What is said in place of a blocked answer. */
  abstention?: (report: Report) => string;
}

const STOPPED: LanguageModelV3FinishReason = { unified: "content-filter", raw: "assay" };

/** A middleware of the Vercel AI SDK: `wrapLanguageModel({ model, middleware: assayMiddleware({ client }) })`. */
export function assayMiddleware(options: MiddlewareOptions): LanguageModelV3Middleware {
  const mode = options.mode ?? "block";
  const abstain = options.abstention ?? abstention;

  async function check(answer: string, prompt: LanguageModelV3Prompt): Promise<Report> {
    const { sources } = options;
    const body: VerifyIn = {
      answer,
      sources: typeof sources === "function" ? sources(prompt) : (sources ?? contextOf(prompt)),
      use_memory: options.useMemory ?? false,
    };
    if (options.judge) body.judge = options.judge;
    return options.client.verify(body);
  }

  return {
    specificationVersion: "v3",

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map(textOf).filter(Boolean).join("\n\n");
      if (!text) return result;
      const report = await check(text, params.prompt);
      const providerMetadata = withReport(result.providerMetadata, report);
      if (mode === "annotate" || report.verdict !== "REFUTED") return { ...result, providerMetadata };
      const kept = result.content.filter((part) => !textOf(part));
      const said: LanguageModelV3Content = { type: "text", text: abstain(report) };
      return { ...result, content: [...kept, said], finishReason: STOPPED, providerMetadata };
    },

    async wrapStream({ doStream, params }) {
      const result = await doStream();
      const held: LanguageModelV3StreamPart[] = [];
      const texts = new Map<string, string>();
      let failed = false;
      const guard = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
        async transform(part, controller) {
          if (part.type === "text-delta" || part.type === "reasoning-delta") {
            const place = `${part.type} ${part.id}`;
            texts.set(place, (texts.get(place) ?? "") + part.delta);
          }
          failed ||= part.type === "error";
          if (part.type !== "finish") {
            if (mode === "annotate" || !SHOWN.has(part.type)) controller.enqueue(part);
            else held.push(part);
            return;
          }
          const text = [...texts.values()].filter(Boolean).join("\n\n");
          if (!text || failed) {
            if (failed) held.length = 0; // what was not checked is not shown
            for (const one of [...held, part]) controller.enqueue(one);
            return;
          }
          const report = await check(text, params.prompt);
          const providerMetadata = withReport(part.providerMetadata, report);
          if (mode === "annotate" || report.verdict !== "REFUTED") {
            for (const one of held) controller.enqueue(one);
            controller.enqueue({ ...part, providerMetadata });
            return;
          }
          controller.enqueue({ type: "text-start", id: "assay" });
          controller.enqueue({ type: "text-delta", id: "assay", delta: abstain(report) });
          controller.enqueue({ type: "text-end", id: "assay" });
          controller.enqueue({ ...part, finishReason: STOPPED, providerMetadata });
        },
      });
      return { ...result, stream: result.stream.pipeThrough(guard) };
    },
  };
}

/** The parts of a stream that a reader sees, which wait for the check. */
const SHOWN = new Set<LanguageModelV3StreamPart["type"]>([
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
]);

function textOf(part: LanguageModelV3Content): string {
  return part.type === "text" || part.type === "reasoning" ? part.text : "";
}

function withReport(metadata: SharedV3ProviderMetadata | undefined, report: Report): SharedV3ProviderMetadata {
  // The report is JSON already; the types of the SDK ask for an index signature that interfaces do not have.
  return { ...metadata, assay: JSON.parse(JSON.stringify(report)) };
}

/** What the conversation itself gives the model to lean on. */
export function contextOf(prompt: LanguageModelV3Prompt): string[] {
  const found: string[] = [];
  for (const message of prompt) {
    if (message.role === "system") found.push(message.content);
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "tool-result") continue;
      const { output } = part;
      if (output.type === "text") found.push(output.value);
      if (output.type === "json") found.push(JSON.stringify(output.value));
      if (output.type === "content") {
        for (const item of output.value) if (item.type === "text") found.push(item.text);
      }
    }
  }
  return found.filter((text) => text.trim());
}

/** Why there is no answer: what the source says, and not what was refuted. */
function abstention(report: Report): string {
  const wrong = report.claims.find((claim) => claim.verdict === "REFUTED");
  const quote = wrong?.evidence[0];
  const reason = quote ? `the source says otherwise: “${quote.quote}”` : "the sources contradict what was written";
  return `I cannot provide a verified answer: ${reason}.`;
}
