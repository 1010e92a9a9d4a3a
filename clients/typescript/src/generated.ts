// Written by clients/generate.py from the OpenAPI document: do not edit.
/* eslint-disable */

import { Transport, type CallOptions } from "./transport.js";
import type { StreamEvent } from "./stream.js";

/** A question to be answered from the workspace's documents. */
export type AskIn = {
  question: string;
  model?: string | null;
  judge?: string | null;
  record?: boolean | null;
  /** The conversation it is recorded under. */
  session?: string;
};

/** An answer whose own words are looked up in each source. */
export type AuditQuotesIn = {
  answer: string;
  sources: (string | SourceIn)[];
  entity_policy?: "strict" | "hybrid" | "drop" | "proximity";
  proximity_n?: number;
  proximity_window?: number;
};

/** Several answers, each as for verify; one that cannot be read gets a problem in its place. */
export type BatchIn = {
  items: VerifyIn[];
};

export type Body_add_files = {
  files: string[];
};

export type Body_read = {
  files: string[];
};

/** A conversation whose last message is answered and checked. */
export type ChatIn = {
  messages: ChatMessage[];
  model?: string | null;
  /** On, off, or the options in full. */
  verification?: boolean | VerificationIn | null;
  correction?: boolean | null;
  /** Settings of the epistemic checks for this request: mode, on_failure, verification_model, … */
  epistemic?: Record<string, boolean | number | string> | null;
  judge?: string | null;
  /** The conversation it is recorded under. */
  session?: string;
};

/** One message of a conversation. */
export type ChatMessage = {
  role: "system" | "user" | "assistant";
  content: string;
};

/** One claim and what it rests on. */
export type ClaimIn = {
  claim: string;
  evidence: (string | SourceIn)[];
  threshold?: number;
  cites?: string[] | null;
  question?: string | null;
  judge?: string | null;
  /** Settings of the epistemic checks for this request: mode, on_failure, verification_model, … */
  epistemic?: Record<string, boolean | number | string> | null;
};

/** A text to split into claims. */
export type ClaimsIn = {
  text: string;
  question?: string | null;
};

/** An answer whose dependence on its evidence is measured. */
export type DependenceIn = {
  answer: string;
  evidence: (string | SourceIn)[];
  question?: string | null;
  judge?: string | null;
  /** Settings of the epistemic checks for this request: mode, on_failure, verification_model, … */
  epistemic?: Record<string, boolean | number | string> | null;
};

/** Documents to store; one with a known id replaces it. */
export type DocumentsIn = {
  documents: SourceIn[];
};

/** Labelled pairs on which a judge is measured. */
export type EvalIn = {
  rows: LabelledIn[];
  name?: string;
  judge?: "lexical" | "small" | "base";
};

/** One citable stretch of a source under a pointer. */
export type EvidenceIn = {
  pointer_id: string;
  text: string;
  title?: string;
  source_role?: string;
  source_id?: string;
};

/** A reader's mark on one finding of a run. */
export type FeedbackIn = {
  run_id: string;
  claim: number;
  right: boolean;
  note?: string;
  /** What it should be. */
  verdict?: "SUPPORTED" | "REFUTED" | "INSUFFICIENT" | null;
};

/** A response and the context it was written from. */
export type HallucinationsIn = {
  response: string;
  context: (string | SourceIn)[];
  question?: string | null;
  judge?: string | null;
  /** Settings of the epistemic checks for this request: mode, on_failure, verification_model, … */
  epistemic?: Record<string, boolean | number | string> | null;
  /** Who writes it again where on_failure is retry. */
  model?: string | null;
  response_id?: string | null;
  /** What the response cost. */
  answer_cost_usd?: number | null;
};

/** Where a heading begins to hold. */
export type HeadingIn = {
  start: number;
  label: string;
};

/** One labelled pair: what a person says the evidence does to the claim. */
export type LabelledIn = {
  evidence: string;
  claim: string;
  label: "SUPPORTED" | "REFUTED" | "INSUFFICIENT" | "NOT_SUPPORTED";
};

/** An answer that cites evidence by pointer, or the JSON form of one. */
export type LatticeIn = {
  answer: string;
  evidence: EvidenceIn[];
  question?: string | null;
  form?: "pointer" | "json" | null;
  /** Sources whose neighbouring passages may supply a missing anchor. */
  chain_roots?: string[];
};

/** Where a page begins, counted in characters of the text. */
export type PageIn = {
  start: number;
  label: string;
};

/** A chain of reasoning and the sources it cites by id. */
export type ReasoningIn = {
  steps: ReasoningStep[];
  sources: (string | SourceIn)[];
  question?: string | null;
  judge?: string | null;
  /** Settings of the epistemic checks for this request: mode, on_failure, verification_model, … */
  epistemic?: Record<string, boolean | number | string> | null;
};

/** One step of a chain of reasoning. */
export type ReasoningStep = {
  claim: string;
  cites?: string[];
  confidence?: number | null;
};

/** An answer to be brought in line with its sources. */
export type RepairIn = {
  answer: string;
  sources?: (string | SourceIn)[];
  question?: string | null;
  model?: string | null;
  judge?: string | null;
  use_memory?: boolean;
};

/** For how many days a workspace keeps its records. */
export type RetentionIn = {
  days: number;
};

/** A query to the workspace's memory. */
export type RetrieveIn = {
  query: string;
  k?: number;
};

/**
 * A source given with the request; a plain string is its text alone.
 *
 * `pages` and `headings` are as `/v1/read` gives them: receipts then say on which page and under which heading.
 */
export type SourceIn = {
  id?: string | null;
  title?: string;
  text: string;
  date?: string | null;
  pages?: PageIn[];
  headings?: HeadingIn[];
};

/** An answer to be played token by token, or a question whose answer is, while it is checked. */
export type StreamIn = {
  answer?: string | null;
  question?: string | null;
  sources?: (string | SourceIn)[];
  use_memory?: boolean;
  release?: "stream" | "hold" | "end" | null;
  tokens_per_second?: number | null;
  model?: string | null;
  judge?: string | null;
};

/** What a claim cites: another step, or a document of the workspace. */
export type TraceEdge = {
  source: string;
  target: string;
  kind?: "cites";
};

/** A chain of reasoning as a tree; verifications are made here and cannot be brought along. */
export type TraceIn = {
  nodes: TraceNode[];
  edges?: TraceEdge[];
};

/** One step of a trace; every step but the goal has a parent. */
export type TraceNode = {
  id: string;
  kind: "goal" | "decision" | "option" | "action" | "outcome" | "observation" | "claim";
  text: string;
  parent?: string | null;
  data?: Record<string, string | boolean | number | null>;
  /** Seconds since 1970; the time of storing if not given. */
  at?: number;
};

/** How an answer is verified and corrected; what is not given is the server's setting. */
export type VerificationIn = {
  enabled?: boolean | null;
  correction?: boolean | null;
  threshold?: number | null;
  attempts?: number | null;
  show_claims?: boolean | null;
  suggest_corrections?: boolean | null;
  /** Who verifies: a judge or a model. */
  model?: string | null;
  epistemic?: boolean | null;
};

/** An answer and what it should be backed by. */
export type VerifyIn = {
  answer: string;
  sources?: (string | SourceIn)[];
  question?: string | null;
  judge?: string | null;
  /** Thresholds to change for this request alone. */
  policy?: Record<string, boolean | number | string> | null;
  /** Also look into the workspace's documents. */
  use_memory?: boolean;
  /** Earlier attempts at this answer. */
  branches?: number;
  /** The conversation it is recorded under. */
  session?: string;
  /** Whether it goes into the ledger; the server's setting if not given. */
  record?: boolean | null;
};

export type AskResponse = {
  answer: string | null;
  report: Record<string, unknown>;
  run_id: string | null;
  rating: Record<string, unknown> | null;
  draft: string;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  request_id: string;
  instance?: string;
};

export type ChatResponse = {
  answer: string;
  verification: Record<string, unknown> | null;
};

export type RepairResponse = {
  answer: string;
  edits: Record<string, unknown>[];
  attempts: Record<string, unknown>[];
  report: Record<string, unknown>;
};

export type ListRunsResponse = {
  audits: Record<string, unknown>[];
  total: number;
  next_cursor: string | null;
};

export type ChainResponse = {
  intact: boolean;
  records: number;
};

export type ShowRetentionResponse = {
  days: number;
  own: boolean;
};

export type SetRetentionResponse = {
  days: number;
};

export type StaleResponse = {
  stale: Record<string, unknown>[];
  next_cursor: string | null;
};

export type LogResponse = {
  results: Record<string, unknown>[];
  next_cursor: string | null;
};

export type PurgeResponse = {
  emptied: number;
};

export type GetRunResponse = {
  id: string;
  answer: string;
  report: Record<string, unknown>;
  documents: Record<string, unknown>[];
  marks: Record<string, unknown>[];
  rating: Record<string, unknown> | null;
};

export type ExportResponse = {
  version: number;
  origin: Record<string, unknown>;
  question: string | null;
  answer: string;
  summary: Record<string, unknown>;
  gates: Record<string, unknown>[];
  entries: Record<string, unknown>[];
  risk_flags: Record<string, unknown>[];
  follow_up: string[];
  warnings: string[];
};

export type ReplayResponse = {
  run_id: string;
  identical: boolean;
  differences: Record<string, unknown>[];
  changes: string[];
};

export type GiveResponse = {
  id: number;
  run_id: string;
  claim: number;
  right: boolean;
};

export type ListMarksResponse = {
  marks: Record<string, unknown>[];
  next_cursor: string | null;
};

export type ListDocumentsResponse = {
  documents: Record<string, unknown>[];
  total: number;
  next_cursor: string | null;
};

export type AddDocumentsResponse = {
  added: string[];
  updated: string[];
  unchanged: string[];
  refused: Record<string, unknown>[];
  passages: number;
};

export type AddFilesResponse = {
  added: string[];
  updated: string[];
  unchanged: string[];
  refused: Record<string, unknown>[];
  passages: number;
};

export type ReadResponse = {
  documents: {
    id: string;
    title: string;
    text: string;
    pages: Record<string, unknown>[];
    headings: Record<string, unknown>[];
  }[];
};

export type GetDocumentResponse = {
  id: string;
  title: string;
  text: string;
  sha256: string;
};

export type RemoveDocumentResponse = {
  id: string;
  passages_removed: number;
};

export type RetrieveResponse = {
  passages: {
    text: string;
    document_id: string;
    title: string;
    start: number;
    end: number;
    similarity: number;
    reason: string;
    sha256: string;
  }[];
};

export type VerifyClaimResponse = {
  claim_text: string;
};

export type AuditReasoningResponse = {
  steps: Record<string, unknown>[];
  flagged: number;
};

export type EvidenceDependenceResponse = {
  evidence_dependence: number;
};

export type DetectHallucinationsResponse = {
  outcome: string;
};

export type EvaluateResponse = {
  id: string;
  time: string;
  calibration: Record<string, unknown>[];
};

export type ListEvaluationsResponse = {
  runs: Record<string, unknown>[];
  next_cursor: string | null;
};

export type GetEvaluationResponse = {
  id: string;
  time: string;
  calibration: Record<string, unknown>[];
};

export type StandingResponse = {
  watched: boolean;
  outputs: number;
  suspect: boolean;
  degenerate: boolean;
  healthy: boolean;
  refuting: boolean;
  irrelevant: boolean;
  counts: Record<string, unknown>;
};

export type ResetResponse = {
  watched: boolean;
  outputs: number;
  suspect: boolean;
  degenerate: boolean;
  healthy: boolean;
  refuting: boolean;
  irrelevant: boolean;
  counts: Record<string, unknown>;
};

export type HealthResponse = {
  status: string;
  version: string;
  judge: string;
  models: string[];
  needs_key: boolean;
};

export type ReadyResponse = {
  status: string;
  busy: number;
  waiting: number;
  slots: number;
  streams: number;
};

export type MemoryMapResponse = {
  points: Record<string, unknown>[];
  clusters: Record<string, unknown>[];
  total: number;
};

export type StreamResponse = {
  event?: unknown;
  data?: unknown;
};

export type ListTracesResponse = {
  traces: Record<string, unknown>[];
  next_cursor: string | null;
};

export type AddTraceResponse = {
  id: string;
};

export type GetTraceResponse = {
  goal: string;
  nodes: Record<string, unknown>[];
  edges: Record<string, unknown>[];
};

export type RemoveTraceResponse = {
  id: string;
};

export type GapsResponse = {
  gaps: Record<string, unknown>[];
};

export type VerifyResponse = {
  version: 1;
  answer: string;
  answer_sha256: string;
  question: string | null;
  verdict: "SUPPORTED" | "REFUTED" | "INSUFFICIENT" | "NOT_CHECKABLE" | "ERROR";
  action: "CONTINUE" | "BRANCH" | "HALT" | "ABSTAIN";
  confidence: number | null;
  audit_mode: "STRICT" | "HYBRID" | "UNGROUNDED";
  grounded: boolean | null;
  coverage: number | null;
  unsupported_rate: number | null;
  skipped: string | null;
  claims: {
    text: string;
    spans: {
      start: number;
      end: number;
    }[];
    kind: "numeric" | "definition" | "policy" | "fact";
    importance: "critical" | "material" | "minor";
    checkable: boolean;
    reason: string;
    citations: {
      text: string;
      span: {
        start: number;
        end: number;
      };
      style: string;
      targets: string[];
    }[];
    sentence_index: number;
    context: string;
    warnings: string[];
    verdict: "SUPPORTED" | "REFUTED" | "INSUFFICIENT" | "NOT_CHECKABLE" | "ERROR";
    confidence: number;
    method: string;
    support: "full" | "partial" | "none" | "contradicted";
    explanation: string;
    evidence: {
      document: string;
      document_sha256: string;
      start: number;
      end: number;
      quote: string;
      stance: "supports" | "refutes" | "neutral";
      similarity: number | null;
      page: number | null;
      heading: string | null;
    }[];
    violations: string[];
    unsupported_spans: {
      start: number;
      end: number;
    }[];
    latency_ms: number;
    cost_usd: number;
    support_probability: number | null;
    action: "CONTINUE" | "BRANCH" | "HALT" | "ABSTAIN";
    marks: string[];
  }[];
  risk_flags: {
    kind: string;
    severity: string;
    message: string;
    evidence: {
      document: string;
      document_sha256: string;
      start: number;
      end: number;
      quote: string;
      stance: "supports" | "refutes" | "neutral";
      similarity: number | null;
      page: number | null;
      heading: string | null;
    }[];
  }[];
  warnings: string[];
  counts: Record<string, number>;
  policy_sha256: string;
  model: string;
  timings_ms: Record<string, number>;
  cost: {
    usd: number;
  };
  run_id?: string | null;
  documents?: {
    id: string;
    title: string;
    text: string;
    sha256: string;
  }[];
  rating?: Record<string, unknown> | null;
};

export type VerifyBatchResponse = {
  results: Record<string, unknown>[];
};

export type ClaimsResponse = {
  claims: {
    text: string;
    kind: string;
    importance: string;
    checkable: boolean;
  }[];
};

export type AuditQuotesResponse = {
  audits: {
    document: string;
    audit_mode: string;
    verifier_method: string;
  }[];
};

export type CheckResponse = {
  evidence: Record<string, unknown>[];
};

export type VerifyStreamResponse = {
  event?: unknown;
  data?: unknown;
};

/** Every operation of the server. */
export class Operations extends Transport {
  /** Answer a question from this workspace's documents, or abstain. */
  ask(body: AskIn, options: CallOptions = {}): Promise<AskResponse> {
    return this.json("POST", `/v1/ask`, { body, options });
  }

  /** Answer the last message of a conversation, with a verification beside it. */
  chat(body: ChatIn, options: CallOptions = {}): Promise<ChatResponse> {
    return this.json("POST", `/v1/chat`, { body, options });
  }

  /** Bring an answer in line with its sources, changing as little as possible. */
  repair(body: RepairIn, options: CallOptions = {}): Promise<RepairResponse> {
    return this.json("POST", `/v1/repair`, { body, options });
  }

  /** The runs of this workspace, newest first. */
  listRuns(options: CallOptions & { limit?: number; verdict?: string | null; abstained?: boolean; cursor?: string | null; } = {}): Promise<ListRunsResponse> {
    return this.json("GET", `/v1/audits`, { query: { limit: options.limit, verdict: options.verdict, abstained: options.abstained, cursor: options.cursor }, options });
  }

  /** Whether the chain of records holds, and where it first does not. */
  chain(options: CallOptions = {}): Promise<ChainResponse> {
    return this.json("GET", `/v1/audits/chain`, { options });
  }

  /** For how many days this workspace keeps its records, and whether that is its own setting. */
  showRetention(options: CallOptions = {}): Promise<ShowRetentionResponse> {
    return this.json("GET", `/v1/audits/retention`, { options });
  }

  /** Set for how many days this workspace keeps its records. */
  setRetention(body: RetentionIn, options: CallOptions = {}): Promise<SetRetentionResponse> {
    return this.json("PUT", `/v1/audits/retention`, { body, options });
  }

  /** Findings that lean on documents which have changed or are gone. */
  stale(options: CallOptions & { limit?: number; cursor?: string | null; } = {}): Promise<StaleResponse> {
    return this.json("GET", `/v1/audits/stale`, { query: { limit: options.limit, cursor: options.cursor }, options });
  }

  /** The last results, one line for each claim, newest first. */
  log(options: CallOptions & { limit?: number; cursor?: string | null; } = {}): Promise<LogResponse> {
    return this.json("GET", `/v1/audits/log`, { query: { limit: options.limit, cursor: options.cursor }, options });
  }

  /** Empty records older than some days; the chain stays provable. */
  purge(options: CallOptions & { days?: number | null; } = {}): Promise<PurgeResponse> {
    return this.json("POST", `/v1/audits/purge`, { query: { days: options.days }, options });
  }

  /** A run whole: its report, its documents, its place in the chain. */
  getRun(runId: string, options: CallOptions = {}): Promise<GetRunResponse> {
    return this.json("GET", `/v1/audits/${encodeURIComponent(runId)}`, { options });
  }

  /** The evidence ledger of a run as a file. */
  export(runId: string, options: CallOptions & { format?: "json" | "md" | "html" | "csv"; } = {}): Promise<string> {
    return this.text("GET", `/v1/audits/${encodeURIComponent(runId)}/export`, { query: { format: options.format }, options });
  }

  /** Run the stored inputs again and explain what differs. */
  replay(runId: string, options: CallOptions & { current?: boolean; } = {}): Promise<ReplayResponse> {
    return this.json("POST", `/v1/audits/${encodeURIComponent(runId)}/replay`, { query: { current: options.current }, options });
  }

  /** Mark a finding right or wrong. */
  give(body: FeedbackIn, options: CallOptions = {}): Promise<GiveResponse> {
    return this.json("POST", `/v1/feedback`, { body, options });
  }

  /** The marks of this workspace, newest first. */
  listMarks(options: CallOptions & { limit?: number; cursor?: string | null; } = {}): Promise<ListMarksResponse> {
    return this.json("GET", `/v1/feedback`, { query: { limit: options.limit, cursor: options.cursor }, options });
  }

  /** List the documents of this workspace. */
  listDocuments(options: CallOptions & { limit?: number; offset?: number; cursor?: string | null; } = {}): Promise<ListDocumentsResponse> {
    return this.json("GET", `/v1/documents`, { query: { limit: options.limit, offset: options.offset, cursor: options.cursor }, options });
  }

  /** Store documents; one with a known id replaces it. */
  addDocuments(body: DocumentsIn, options: CallOptions = {}): Promise<AddDocumentsResponse> {
    return this.json("POST", `/v1/documents`, { body, options });
  }

  /** Store files (text, Markdown, HTML, PDF, Word, …). */
  addFiles(files: FormData, options: CallOptions = {}): Promise<AddFilesResponse> {
    return this.json("POST", `/v1/documents/files`, { form: files, options });
  }

  /** Read files to text, with pages and headings, without storing them. */
  read(files: FormData, options: CallOptions = {}): Promise<ReadResponse> {
    return this.json("POST", `/v1/read`, { form: files, options });
  }

  /** A document whole, with its versions. */
  getDocument(documentId: string, options: CallOptions & { version?: number | null; } = {}): Promise<GetDocumentResponse> {
    return this.json("GET", `/v1/documents/${encodeURIComponent(documentId)}`, { query: { version: options.version }, options });
  }

  /** Take a document out, with its versions. */
  removeDocument(documentId: string, options: CallOptions = {}): Promise<RemoveDocumentResponse> {
    return this.json("DELETE", `/v1/documents/${encodeURIComponent(documentId)}`, { options });
  }

  /** Find the passages that settle a query, best first. */
  retrieve(body: RetrieveIn, options: CallOptions = {}): Promise<RetrieveResponse> {
    return this.json("POST", `/v1/retrieve`, { body, options });
  }

  /** How far the evidence supports one claim. */
  verifyClaim(body: ClaimIn, options: CallOptions = {}): Promise<VerifyClaimResponse> {
    return this.json("POST", `/v1/epistemic/verify_claim`, { body, options });
  }

  /** Each step of a chain of reasoning against what it cites. */
  auditReasoning(body: ReasoningIn, options: CallOptions = {}): Promise<AuditReasoningResponse> {
    return this.json("POST", `/v1/epistemic/audit_reasoning`, { body, options });
  }

  /** How far an answer hangs on its evidence: 0 not at all, 1 fully. */
  evidenceDependence(body: DependenceIn, options: CallOptions = {}): Promise<EvidenceDependenceResponse> {
    return this.json("POST", `/v1/epistemic/evidence_dependence`, { body, options });
  }

  /** Which claims of a response its context does not carry, and what is done about it. */
  detectHallucinations(body: HallucinationsIn, options: CallOptions = {}): Promise<DetectHallucinationsResponse> {
    return this.json("POST", `/v1/epistemic/detect_hallucinations`, { body, options });
  }

  /** Measure a judge on labelled pairs. */
  evaluate(body: EvalIn, options: CallOptions = {}): Promise<EvaluateResponse> {
    return this.json("POST", `/v1/eval`, { body, options });
  }

  /** The evaluation runs of this workspace, newest first. */
  listEvaluations(options: CallOptions & { limit?: number; cursor?: string | null; } = {}): Promise<ListEvaluationsResponse> {
    return this.json("GET", `/v1/eval`, { query: { limit: options.limit, cursor: options.cursor }, options });
  }

  /** One evaluation run with its figures and its calibration. */
  getEvaluation(runId: string, options: CallOptions = {}): Promise<GetEvaluationResponse> {
    return this.json("GET", `/v1/eval/${encodeURIComponent(runId)}`, { options });
  }

  /** The rates over the last outputs for this key. */
  standing(options: CallOptions = {}): Promise<StandingResponse> {
    return this.json("GET", `/v1/monitor`, { options });
  }

  /** Forget the outputs of all keys of this workspace. */
  reset(options: CallOptions = {}): Promise<ResetResponse> {
    return this.json("POST", `/v1/monitor/reset`, { options });
  }

  /** The process lives. */
  health(options: CallOptions = {}): Promise<HealthResponse> {
    return this.json("GET", `/v1/health`, { options });
  }

  /** The models are loaded and requests are taken. */
  ready(options: CallOptions = {}): Promise<ReadyResponse> {
    return this.json("GET", `/v1/ready`, { options });
  }

  /** Prometheus metrics. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.text("GET", `/metrics`, { options });
  }

  /** Passages as points on a flat map, with clusters. */
  memoryMap(options: CallOptions & { points?: number; } = {}): Promise<MemoryMapResponse> {
    return this.json("GET", `/v1/memory/map`, { query: { points: options.points }, options });
  }

  /** Watch an answer being checked while it is written. */
  stream(body: StreamIn, options: CallOptions = {}): AsyncGenerator<StreamEvent, void> {
    return this.events("POST", `/v1/stream`, { body, options });
  }

  /** The traces of this workspace, newest first. */
  listTraces(options: CallOptions & { limit?: number; cursor?: string | null; } = {}): Promise<ListTracesResponse> {
    return this.json("GET", `/v1/traces`, { query: { limit: options.limit, cursor: options.cursor }, options });
  }

  /** Store a trace, in place of one with the same goal. */
  addTrace(body: TraceIn, options: CallOptions = {}): Promise<AddTraceResponse> {
    return this.json("POST", `/v1/traces`, { body, options });
  }

  /** A trace whole, with what has been verified of it. */
  getTrace(traceId: string, options: CallOptions = {}): Promise<GetTraceResponse> {
    return this.json("GET", `/v1/traces/${encodeURIComponent(traceId)}`, { options });
  }

  /** Take a trace out. */
  removeTrace(traceId: string, options: CallOptions = {}): Promise<RemoveTraceResponse> {
    return this.json("DELETE", `/v1/traces/${encodeURIComponent(traceId)}`, { options });
  }

  /** What is missing between the claims of a trace and their evidence, the widest gap first. */
  gaps(traceId: string, options: CallOptions & { verification_model?: string | null; } = {}): Promise<GapsResponse> {
    return this.json("GET", `/v1/traces/${encodeURIComponent(traceId)}/gaps`, { query: { verification_model: options.verification_model }, options });
  }

  /** Check an answer against sources, claim by claim. */
  verify(body: VerifyIn, options: CallOptions = {}): Promise<VerifyResponse> {
    return this.json("POST", `/v1/verify`, { body, options });
  }

  /** Check several answers; each gets its report or its problem. */
  verifyBatch(body: BatchIn, options: CallOptions = {}): Promise<VerifyBatchResponse> {
    return this.json("POST", `/v1/verify/batch`, { body, options });
  }

  /** Split a text into claims, each with its place, kind and importance. */
  claims(body: ClaimsIn, options: CallOptions = {}): Promise<ClaimsResponse> {
    return this.json("POST", `/v1/claims`, { body, options });
  }

  /** Look an answer's quotations, sentences and names up in each source, word for word. */
  auditQuotes(body: AuditQuotesIn, options: CallOptions = {}): Promise<AuditQuotesResponse> {
    return this.json("POST", `/v1/audit-quotes`, { body, options });
  }

  /** Check an answer that cites evidence by pointer, or as JSON. */
  check(body: LatticeIn, options: CallOptions = {}): Promise<CheckResponse> {
    return this.json("POST", `/v1/lattice/check`, { body, options });
  }

  /** Check an answer and hear of its claims as they are settled. */
  verifyStream(body: VerifyIn, options: CallOptions = {}): AsyncGenerator<StreamEvent, void> {
    return this.events("POST", `/v1/verify/stream`, { body, options });
  }

}
