"""What requests look like; every model carries an example, and unknown fields are refused by name."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)

ANSWER = "Mount Everest is 8,489 m high. It was first climbed in 1953."
SOURCE = "Mount Everest is 8,849 m high. Hillary and Tenzing first climbed it in 1953."

Id = Annotated[str, Field(min_length=1, max_length=200)]
Title = Annotated[str, Field(max_length=1_000)]
Question = Annotated[str, Field(max_length=10_000)]
Session = Annotated[str, Field(max_length=200, description="The conversation it is recorded under.")]
Offset = Annotated[int, Field(ge=0, le=1_000_000_000)]
Judge = Annotated[
    str,
    Field(
        min_length=1,
        max_length=250,
        pattern="^[^\\x00]+$",
        description="lexical, small, base, cascade, model:NAME or cascade+model:NAME, NAME a model of the server.",
    ),
]
PolicyChanges = dict[str, bool | int | float | str]
EpistemicChanges = Annotated[
    dict[str, bool | int | float | str] | None,
    Field(description="Settings of the epistemic checks for this request: mode, on_failure, verification_model, …"),
]


class Body(BaseModel):
    """A request body; a misspelt field is an error, not silence."""

    model_config = ConfigDict(extra="forbid", str_max_length=32_000_000)


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})


class PageIn(Body):
    """Where a page begins, counted in characters of the text."""

    start: Offset
    label: Annotated[str, Field(pattern="^[0-9]{1,9}$")]


class HeadingIn(Body):
    """Where a heading begins to hold."""

    start: Offset
    label: Title


class SourceIn(Body):
    """A source given with the request; a plain string is its text alone.

    `pages` and `headings` are as `/v1/read` gives them: receipts then say on which page and under which heading.
    """

    model_config = example(id="everest", title="Mount Everest", text=SOURCE, headings=[{"start": 0, "label": "Height"}])

    id: Id | None = None
    title: Title = ""
    text: Annotated[str, Field(min_length=1)]
    date: datetime.date | None = None
    pages: Annotated[list[PageIn], Field(max_length=100_000)] = []
    headings: Annotated[list[HeadingIn], Field(max_length=100_000)] = []


Sources = list[Annotated[str, Field(min_length=1)] | SourceIn]


class VerifyIn(Body):
    """An answer and what it should be backed by."""

    model_config = example(answer=ANSWER, sources=[SOURCE], question="How high is Everest?", judge="lexical")

    answer: str
    sources: Sources = []
    question: Question | None = None
    judge: Judge | None = None
    policy: PolicyChanges | None = Field(None, description="Thresholds to change for this request alone.")
    use_memory: bool = Field(False, description="Also look into the workspace's documents.")
    branches: Annotated[int, Field(ge=0, le=1_000)] = Field(0, description="Earlier attempts at this answer.")
    session: Session = ""
    record: bool | None = Field(None, description="Whether it goes into the ledger; the server's setting if not given.")


def _or_mistake(item: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """The item, or what is wrong with it: one bad item must not cost the others their reports."""
    try:
        return read(item)
    except ValidationError as mistake:
        return mistake


class BatchIn(Body):
    """Several answers, each as for verify; one that cannot be read gets a problem in its place."""

    model_config = example(items=[{"answer": ANSWER, "sources": [SOURCE], "judge": "lexical"}])

    items: Annotated[list[Annotated[VerifyIn, WrapValidator(_or_mistake)]], Field(min_length=1)]


class ClaimsIn(Body):
    """A text to split into claims."""

    model_config = example(text=ANSWER)

    text: str
    question: Question | None = None


class RetrieveIn(Body):
    """A query to the workspace's memory."""

    model_config = example(query="How high is Everest?", k=3)

    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    k: Annotated[int, Field(ge=1, le=100)] = 5


class DocumentsIn(Body):
    """Documents to store; one with a known id replaces it."""

    model_config = example(documents=[{"id": "everest", "title": "Mount Everest", "text": SOURCE}])

    documents: Annotated[list[SourceIn], Field(min_length=1)]


class EvidenceIn(Body):
    """One citable stretch of a source under a pointer."""

    model_config = example(pointer_id="E1", text="The tower was completed in March 1889.", title="Eiffel Tower")

    pointer_id: Annotated[str, Field(pattern="^[Ee][0-9]{1,9}$")]
    text: str
    title: Title = ""
    source_role: Annotated[str, Field(max_length=100)] = "unclassified"
    source_id: Annotated[str, Field(max_length=1_000)] = ""


class LatticeIn(Body):
    """An answer that cites evidence by pointer, or the JSON form of one."""

    model_config = example(
        answer="The Eiffel Tower was completed in 1889. [E1]",
        evidence=[{"pointer_id": "E1", "text": "The tower was completed in March 1889.", "title": "Eiffel Tower"}],
        question="When was the Eiffel Tower completed?",
    )

    answer: str
    evidence: Annotated[list[EvidenceIn], Field(min_length=1, max_length=1_000)]
    question: Question | None = None
    form: Literal["pointer", "json"] | None = None
    chain_roots: Annotated[list[Id], Field(max_length=1_000)] = Field(
        [], description="Sources whose neighbouring passages may supply a missing anchor."
    )


class AuditQuotesIn(Body):
    """An answer whose own words are looked up in each source."""

    model_config = example(answer='He called it "the highest mountain on Earth".', sources=[SOURCE])

    answer: str
    sources: Annotated[Sources, Field(min_length=1)]
    entity_policy: Literal["strict", "hybrid", "drop", "proximity"] = "proximity"
    proximity_n: Annotated[int, Field(ge=1)] = 3
    proximity_window: Annotated[int, Field(ge=1)] = 300


class AskIn(Body):
    """A question to be answered from the workspace's documents."""

    model_config = example(question="How high is Everest?")

    question: Annotated[str, Field(min_length=1, max_length=10_000)]
    model: Id | None = None
    judge: Judge | None = None
    record: bool | None = None
    session: Session = ""


class ChatMessage(Body):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class VerificationIn(Body):
    """How an answer is verified and corrected; what is not given is the server's setting."""

    enabled: bool | None = None
    correction: bool | None = None
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    attempts: Annotated[int, Field(ge=0, le=10)] | None = None
    show_claims: bool | None = None
    suggest_corrections: bool | None = None
    model: Annotated[str, Field(max_length=200)] | None = Field(None, description="Who verifies: a judge or a model.")
    epistemic: bool | None = None


class ChatIn(Body):
    """A conversation whose last message is answered and checked."""

    model_config = example(messages=[{"role": "user", "content": "How high is Everest?"}], verification=True)

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=200)]
    model: Id | None = None
    verification: bool | VerificationIn | None = Field(None, description="On, off, or the options in full.")
    correction: bool | None = None
    epistemic: EpistemicChanges = None
    judge: Judge | None = None
    session: Session = ""


class RepairIn(Body):
    """An answer to be brought in line with its sources."""

    model_config = example(answer=ANSWER, sources=[SOURCE], judge="lexical")

    answer: str
    sources: Sources = []
    question: Question | None = None
    model: Id | None = None
    judge: Judge | None = None
    use_memory: bool = False


class StreamIn(Body):
    """An answer to be played token by token, or a question whose answer is, while it is checked."""

    model_config = example(answer=ANSWER, sources=[SOURCE], tokens_per_second=50)

    answer: str | None = None
    question: Question | None = None
    sources: Sources = []
    use_memory: bool = False
    release: Literal["stream", "hold", "end"] | None = None
    tokens_per_second: Annotated[float, Field(ge=0.1, le=10_000)] | None = None
    model: Id | None = None
    judge: Judge | None = None


class FeedbackIn(Body):
    """A reader's mark on one finding of a run."""

    model_config = example(run_id="1", claim=0, right=True, note="checked by hand")

    run_id: Id
    claim: Annotated[int, Field(ge=0, le=1_000_000)]
    right: bool
    note: Annotated[str, Field(max_length=2_000)] = ""
    verdict: Literal["SUPPORTED", "REFUTED", "INSUFFICIENT"] | None = Field(None, description="What it should be.")


class RetentionIn(Body):
    """For how many days a workspace keeps its records."""

    model_config = example(days=30)

    days: Annotated[int, Field(ge=1, le=36_500)]


class LabelledIn(Body):
    """One labelled pair: what a person says the evidence does to the claim."""

    model_config = example(evidence=SOURCE, claim="Mount Everest is 8,489 m high.", label="REFUTED")

    evidence: str
    claim: Annotated[str, Field(min_length=1)]
    label: Literal["SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_SUPPORTED"]


class EvalIn(Body):
    """Labelled pairs on which a judge is measured."""

    model_config = example(
        name="everest",
        judge="lexical",
        rows=[{"evidence": SOURCE, "claim": "Mount Everest is 8,489 m high.", "label": "REFUTED"}],
    )

    rows: Annotated[list[LabelledIn], Field(min_length=1, max_length=2_000)]
    name: Annotated[str, Field(max_length=200)] = ""
    judge: Literal["lexical", "small", "base"] = "small"


class ClaimIn(Body):
    """One claim and what it rests on."""

    model_config = example(claim="Mount Everest is 8,489 m high.", evidence=[SOURCE], judge="lexical")

    claim: Annotated[str, Field(min_length=1, max_length=20_000)]
    evidence: Sources
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.95
    cites: Annotated[list[Id], Field(max_length=1_000)] | None = None
    question: Question | None = None
    judge: Judge | None = None
    epistemic: EpistemicChanges = None


class ReasoningStep(Body):
    """One step of a chain of reasoning."""

    claim: Annotated[str, Field(min_length=1, max_length=20_000)]
    cites: Annotated[list[Id], Field(max_length=1_000)] = []
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None


class ReasoningIn(Body):
    """A chain of reasoning and the sources it cites by id."""

    model_config = example(
        steps=[{"claim": "Mount Everest is 8,489 m high.", "cites": ["everest"]}],
        sources=[{"id": "everest", "text": SOURCE}],
        judge="lexical",
    )

    steps: Annotated[list[ReasoningStep], Field(min_length=1, max_length=1_000)]
    sources: Sources
    question: Question | None = None
    judge: Judge | None = None
    epistemic: EpistemicChanges = None


class DependenceIn(Body):
    """An answer whose dependence on its evidence is measured."""

    model_config = example(answer=ANSWER, evidence=[SOURCE], question="How high is Everest?", judge="lexical")

    answer: Annotated[str, Field(min_length=1)]
    evidence: Sources
    question: Question | None = None
    judge: Judge | None = None
    epistemic: EpistemicChanges = None


class HallucinationsIn(Body):
    """A response and the context it was written from."""

    model_config = example(response=ANSWER, context=[SOURCE], judge="lexical")

    response: Annotated[str, Field(min_length=1)]
    context: Sources
    question: Question | None = None
    judge: Judge | None = None
    epistemic: EpistemicChanges = None
    model: Id | None = Field(None, description="Who writes it again where on_failure is retry.")
    response_id: Id | None = None
    answer_cost_usd: Annotated[float, Field(ge=0)] | None = Field(None, description="What the response cost.")


Plain = Annotated[str, Field(min_length=1, max_length=20_000, pattern="^[^\\x00]*$")]
PlainId = Annotated[str, Field(min_length=1, max_length=200, pattern="^[^\\x00/]*$")]


class TraceNode(Body):
    """One step of a trace; every step but the goal has a parent."""

    id: PlainId
    kind: Literal["goal", "decision", "option", "action", "outcome", "observation", "claim"]
    text: Plain
    parent: PlainId | None = None
    data: dict[str, Annotated[str, Field(max_length=20_000)] | bool | int | float | None] = {}
    at: Annotated[float, Field(ge=0, le=1e12)] = Field(
        0.0, description="Seconds since 1970; the time of storing if not given."
    )


class TraceEdge(Body):
    """What a claim cites: another step, or a document of the workspace."""

    source: PlainId
    target: PlainId
    kind: Literal["cites"] = "cites"


class TraceIn(Body):
    """A chain of reasoning as a tree; verifications are made here and cannot be brought along."""

    model_config = example(
        nodes=[
            {"id": "goal-1", "kind": "goal", "text": "How high is Everest?"},
            {"id": "seen-1", "kind": "observation", "text": SOURCE, "parent": "goal-1"},
            {"id": "claim-1", "kind": "claim", "text": "Mount Everest is 8,489 m high.", "parent": "goal-1"},
        ],
        edges=[{"source": "claim-1", "target": "seen-1", "kind": "cites"}],
    )

    nodes: Annotated[list[TraceNode], Field(min_length=1, max_length=2_000)]
    edges: Annotated[list[TraceEdge], Field(max_length=10_000)] = []

    @field_validator("edges")
    @classmethod
    def _each_once(cls, edges: list[TraceEdge]) -> list[TraceEdge]:
        """An edge that is given twice is one edge."""
        return list({(edge.source, edge.target, edge.kind): edge for edge in edges}.values())
