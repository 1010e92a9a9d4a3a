"""The values that everything passes around: frozen, comparable, with the receipt built in.

A receipt is two-sided. `answer[span.start:span.end]` is what the reader sees, and for each piece of evidence
`document.text[start:end] == quote` with the document's content hash beside it. The types refuse values that could not
hold this: an `Evidence` whose quote does not have the length of its offsets, a `Report` whose claim lies outside the
answer. Offsets count Unicode code points.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.codec import Json, decode_fields, encode_fields, schema_of_fields, shape_of
from assay.confusables import as_seen
from assay.errors import UsageError
from assay.vocabulary import Action, AuditMode, Importance, Kind, Stance, Support, Verdict

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "Action",
    "AuditMode",
    "Citation",
    "Claim",
    "Document",
    "Evidence",
    "Finding",
    "Importance",
    "Judgement",
    "Kind",
    "Mark",
    "Passage",
    "Report",
    "RiskFlag",
    "Span",
    "Stance",
    "Support",
    "Verdict",
    "sha256_of",
]


VERSION = 1  # of the JSON of a report


def sha256_of(text: str) -> str:
    """The content hash of a text; lone surrogates, which UTF-8 cannot carry, are hashed as they stand."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch of code points.

    >>> Span(0, 5).of("Paris is in France")
    'Paris'
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span runs forward from 0, not from {self.start} to {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def shifted(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Mark:
    """A label that holds from an offset on: a page number or a heading path."""

    start: int
    label: str


@dataclass(frozen=True)
class Document:
    """A source: its text as a reader would see it, where it came from, and what it weighs.

    >>> from assay import check
    >>> source = Document("history.md", "The mill opened in 1900.", title="History")
    >>> check("The mill opened in 1900.", sources=[source], judge="lexical").claims[0].evidence[0].document
    'history.md'
    """

    id: str
    text: str
    title: str = ""
    role: str = "unclassified"
    markup: str = "plain"
    date: date | None = None
    date_inferred: bool = False
    workspace: str = "default"
    uri: str = ""
    pages: tuple[Mark, ...] = ()
    headings: tuple[Mark, ...] = ()
    links: tuple[Mark, ...] = field(default=(), compare=False)  # addresses, for edges; no part of what is quoted

    @cached_property
    def sha256(self) -> str:
        return sha256_of(self.text)

    def page_at(self, offset: int) -> int | None:
        label = _label_at(self.pages, offset)
        return int(label) if label else None

    def heading_at(self, offset: int) -> str | None:
        return _label_at(self.headings, offset)


def _label_at(marks: tuple[Mark, ...], offset: int) -> str | None:
    """The label of the last mark at or before an offset; marks are in order, a table has one for each row."""
    at = bisect_right(marks, offset, key=lambda mark: mark.start)
    return marks[at - 1].label if at else None


@dataclass(frozen=True, slots=True)
class Passage:
    """A located stretch of a document, as handed to a judge."""

    document: Document
    start: int
    end: int
    similarity: float | None = None
    reason: str = ""

    @property
    def text(self) -> str:
        """The words as a reader sees them, each character at its place: zero-width and lookalike letters are undone."""
        return as_seen(self.document.text[self.start : self.end])

    @property
    def document_id(self) -> str:
        return self.document.id

    @property
    def sha256(self) -> str:
        return sha256_of(self.document.text[self.start : self.end])


@dataclass(frozen=True, slots=True)
class Citation:
    """An anchor the author wrote: `[1]`, `[E3]`, `[cite:1a2b3c4d]`, `(Source: …)`, a Markdown link."""

    text: str
    span: Span
    style: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer, or a stretch of it that states nothing (`checkable` is false, with the reason).

    `spans` are the places in the answer where its own words stand, one for each occurrence; `text` is plain prose, and
    may be completed by a subject or label carried over from the words before. `context` is the sentence that a leading
    pronoun points back to. `alignment` says for each span which stretches of `text` (start, end) were read from which
    stretches of the span (start, end, counted from its start); it is empty where the text is the span's own words.
    """

    text: str
    spans: tuple[Span, ...]
    kind: Kind = Kind.FACT
    importance: Importance = Importance.MINOR
    checkable: bool = True
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    sentence_index: int = 0
    context: str = ""
    warnings: tuple[str, ...] = ()
    alignment: tuple[tuple[tuple[int, int, int, int], ...], ...] = field(default=(), repr=False, compare=False)

    @property
    def span(self) -> Span:
        """The first place where the claim stands."""
        return self.spans[0]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One quoted stretch of one source, and what it does to the claim."""

    document: str
    document_sha256: str
    start: int
    end: int
    quote: str
    stance: Stance = Stance.NEUTRAL
    similarity: float | None = None
    page: int | None = None
    heading: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end or self.end - self.start != len(self.quote):
            raise ValueError(
                f"a quote of {len(self.quote)} characters cannot stand at {self.start}–{self.end} of {self.document}"
            )

    @classmethod
    def cite(
        cls,
        document: Document,
        start: int,
        end: int,
        *,
        stance: Stance = Stance.NEUTRAL,
        similarity: float | None = None,
    ) -> Evidence:
        """The receipt for `document.text[start:end]`; the only way evidence should be made."""
        return cls(
            document=document.id,
            document_sha256=document.sha256,
            start=start,
            end=end,
            quote=document.text[start:end],
            stance=stance,
            similarity=similarity,
            page=document.page_at(start),
            heading=document.heading_at(start),
        )

    def holds_in(self, document: Document) -> bool:
        """Whether this receipt can be replayed against the document."""
        return (
            document.id == self.document
            and document.sha256 == self.document_sha256
            and document.text[self.start : self.end] == self.quote
        )

    def to_dict(self) -> Json:
        return encode_fields(self)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge says about one claim, before the policy has its word.

    `support_probability` is how likely a model takes the claim to be supported, whatever the verdict; None where no
    model says so.
    """

    verdict: Verdict
    confidence: float
    method: str
    support: Support = Support.NONE
    explanation: str = ""
    evidence: tuple[Evidence, ...] = ()
    violations: tuple[str, ...] = ()
    unsupported: tuple[Span, ...] = ()
    latency_ms: float = 0.0
    cost_usd: float = 0.0
    support_probability: float | None = None

    def __post_init__(self) -> None:
        for name in ("confidence", "support_probability"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value <= 1.0:  # also refuses NaN
                raise ValueError(f"{name} is a number from 0 to 1, not {value!r}")
            if value is not None:
                object.__setattr__(self, name, round(value, 6))  # finer is noise, and JSON shows no more
        object.__setattr__(self, "latency_ms", round(self.latency_ms, 3))


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim with its verdict, its proof and what to do about it."""

    claim: Claim
    judgement: Judgement
    action: Action = Action.CONTINUE
    marks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.claim.text

    @property
    def spans(self) -> tuple[Span, ...]:
        return self.claim.spans

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    @property
    def support(self) -> Support:
        return self.judgement.support

    @property
    def confidence(self) -> float:
        return self.judgement.confidence

    @property
    def method(self) -> str:
        return self.judgement.method

    @property
    def explanation(self) -> str:
        return self.judgement.explanation

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return self.judgement.evidence

    @property
    def violations(self) -> tuple[str, ...]:
        return self.judgement.violations

    def to_dict(self) -> Json:
        """The claim and the judgement side by side, the action and the marks."""
        shown = encode_fields(self)
        return _renamed(shown.pop("claim") | shown.pop("judgement") | shown, "unsupported", "unsupported_spans")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        told = _renamed(dict(data), "unsupported_spans", "unsupported")
        return decode_fields(cls, {**told, "claim": told, "judgement": told}, f"claim {data.get('text')!r:.60}")

    @classmethod
    def schema(cls) -> Json:
        shapes = schema_of_fields(cls)["properties"]
        told = shapes.pop("claim")["properties"] | shapes.pop("judgement")["properties"] | shapes
        return shape_of(_renamed(told, "unsupported", "unsupported_spans"))


def _renamed(data: Json, old: str, new: str) -> Json:
    return {new if name == old else name: value for name, value in data.items()}


@dataclass(frozen=True, slots=True)
class RiskFlag:
    """Something about the answer as a whole that a reader must know."""

    kind: str
    severity: str
    message: str
    evidence: tuple[Evidence, ...] = ()

    def to_dict(self) -> Json:
        return encode_fields(self)


def audit_mode_of(findings: Iterable[Finding]) -> AuditMode:
    """STRICT when every checkable claim is supported, HYBRID when some are, UNGROUNDED when none is."""
    supported = [f.verdict is Verdict.SUPPORTED for f in findings if f.verdict is not Verdict.NOT_CHECKABLE]
    if not any(supported):
        return AuditMode.UNGROUNDED
    return AuditMode.STRICT if all(supported) else AuditMode.HYBRID


_FRAME_COLUMNS = (
    "claim verdict confidence support kind importance action start end explanation source quote method".split()
)


def _claim_row(finding: Finding) -> list[Any]:
    """A finding as a row of `Report.to_frame`."""
    start, end = (finding.spans[0].start, finding.spans[0].end) if finding.spans else (None, None)
    quote = finding.evidence[0] if finding.evidence else None
    return [
        finding.text,
        finding.verdict.value,
        finding.confidence,
        finding.support.value,
        finding.claim.kind.value,
        finding.claim.importance.value,
        finding.action.value,
        start,
        end,
        finding.explanation,
        quote and quote.document,
        quote and quote.quote,
        finding.method,
    ]


@dataclass(frozen=True)
class Report:
    """An answer with a finding for each of its claims; `str(report)` is readable, `to_dict()` is the one JSON shape.

    >>> from assay import check
    >>> report = check("The mill opened in 1950.", sources=["The mill opened in 1900."], judge="lexical")
    >>> report.verdict.value, report.grounded, report.claims[0].evidence[0].quote
    ('REFUTED', False, 'The mill opened in 1900.')
    """

    answer: str
    findings: tuple[Finding, ...]
    documents: tuple[Document, ...] = field(default=(), repr=False, compare=False)  # told by their hashes in evidence
    question: str | None = None
    skipped: str | None = None
    action: Action = Action.CONTINUE
    audit_mode: AuditMode = None  # type: ignore[assignment]  # unless given, what the findings show
    risk_flags: tuple[RiskFlag, ...] = ()
    warnings: tuple[str, ...] = ()
    policy_sha256: str = ""
    model: str = ""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    cost_usd: float = 0.0

    def __post_init__(self) -> None:
        timings = {stage: round(ms, 3) for stage, ms in self.timings_ms.items()}
        object.__setattr__(self, "timings_ms", timings)
        shown = audit_mode_of(self.findings)
        if self.audit_mode is None or (self.audit_mode is AuditMode.STRICT and shown is not AuditMode.STRICT):
            object.__setattr__(self, "audit_mode", shown)
        for finding in self.findings:
            for span in finding.spans:
                if span.end > len(self.answer):
                    raise ValueError(f"claim {finding.text!r} lies outside the answer ({span.start}–{span.end})")

    @property
    def claims(self) -> tuple[Finding, ...]:
        """The findings, one for each claim."""
        return self.findings

    @property
    def checkable(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.verdict is not Verdict.NOT_CHECKABLE)

    @property
    def scored(self) -> tuple[Finding, ...]:
        """Checkable findings whose check did not fail."""
        return tuple(f for f in self.checkable if f.verdict is not Verdict.ERROR)

    @property
    def counts(self) -> dict[str, int]:
        return {verdict.value: sum(f.verdict is verdict for f in self.findings) for verdict in Verdict}

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of any claim: REFUTED before ERROR on a critical claim before INSUFFICIENT."""
        present = {f.verdict for f in self.findings}
        critical_error = any(
            f.verdict is Verdict.ERROR and f.claim.importance is Importance.CRITICAL for f in self.findings
        )
        if Verdict.REFUTED in present:
            return Verdict.REFUTED
        if critical_error:
            return Verdict.ERROR
        for verdict in (Verdict.INSUFFICIENT, Verdict.SUPPORTED, Verdict.ERROR):
            if verdict in present:
                return verdict
        return Verdict.NOT_CHECKABLE

    @property
    def confidence(self) -> float | None:
        """The lowest confidence of any scored claim; None when nothing was scored."""
        return min((f.confidence for f in self.scored), default=None)

    @property
    def grounded(self) -> bool | None:
        """Whether every claim that can be checked is supported and its citations hold; None with nothing to score.

        The one answer to this question: the headline, the exit code, repair and every interface read it here. It is
        true exactly where the audit mode is STRICT: a check of pointers or quotes may set that lower than the findings.
        """
        return self.audit_mode is AuditMode.STRICT if self.scored else None

    def finding_at(self, offset: int) -> Finding | None:
        """The finding whose words stand at an offset of the answer."""
        for finding in self.findings:
            if any(span.start <= offset < span.end for span in finding.spans):
                return finding
        return None

    def broken_receipts(self) -> list[Evidence]:
        """Evidence that does not hold in the report's own documents; empty unless something was tampered with."""
        by_id = {document.id: document for document in self.documents}
        return [
            item
            for finding in self.findings
            for item in finding.evidence
            if item.document not in by_id or not item.holds_in(by_id[item.document])
        ]

    def with_findings(self, findings: Iterable[Finding]) -> Report:
        return replace(self, findings=tuple(findings))

    @property
    def answer_sha256(self) -> str:
        return sha256_of(self.answer)

    @property
    def coverage(self) -> float | None:
        """Share of the claims that are not minor which a source backs, or half backs; None without such a claim."""
        return self._share(lambda f: f.verdict is Verdict.SUPPORTED or f.support is Support.PARTIAL)

    @property
    def unsupported_rate(self) -> float | None:
        """Share of the same claims for which nothing was found; None without such a claim."""
        return self._share(lambda f: f.verdict is Verdict.INSUFFICIENT and f.support is not Support.PARTIAL)

    def _share(self, counts: Callable[[Finding], bool]) -> float | None:
        weighty = [finding for finding in self.scored if finding.claim.importance is not Importance.MINOR]
        return sum(map(counts, weighty)) / len(weighty) if weighty else None

    def to_dict(self) -> Json:
        shown = encode_fields(self, *_DERIVED)
        shown |= {"version": VERSION, "claims": shown["findings"], "cost": {"usd": shown["cost_usd"]}}
        return {name: shown[name] for name in _JSON}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], documents: Iterable[Document] = ()) -> Report:
        """The report whose `to_dict()` this is; the texts of its documents are not part of that.

        >>> report = Report("The mill opened in 1900.", ())
        >>> Report.from_dict(report.to_dict()) == report
        True
        """
        version = data.get("version")
        if version != VERSION:
            raise UsageError(f"this is no report that this version of Assay reads: its version is {version!r}")
        cost = data.get("cost", {}).get("usd", 0.0)
        read = decode_fields(cls, {**data, "findings": data.get("claims", []), "cost_usd": cost}, "report")
        return replace(read, documents=tuple(documents))

    @classmethod
    def schema(cls) -> Json:
        """The JSON Schema of `to_dict()`."""
        known = schema_of_fields(cls, *_DERIVED)["properties"]
        cost = shape_of({"usd": known["cost_usd"]})
        known |= {"version": {"const": VERSION}, "claims": known["findings"], "cost": cost}
        return shape_of({name: known[name] for name in _JSON})

    def to_html(self) -> str:
        """The report as one self-contained page, as `assay check --format html` writes it.

        >>> Report("", ()).to_html().startswith("<!doctype html>")
        True
        """
        from assay.render.html import render_html

        return render_html(self)

    def to_markdown(self) -> str:
        """The report as Markdown, for a pull request or a ticket.

        >>> Report("", ()).to_markdown().splitlines()[0]
        '# · Nothing in this answer can be checked'
        """
        from assay.render.markdown import render_markdown

        return render_markdown(self)

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with a row for each claim and its first quote; needs pandas.

        >>> from assay import check
        >>> report = check("The mill opened in 1900.", sources=["The mill opened in 1900."], judge="lexical")
        >>> report.to_frame()[["claim", "verdict"]].values.tolist()  # doctest: +SKIP
        [['The mill opened in 1900.', 'SUPPORTED']]
        """
        try:
            from pandas import DataFrame
        except ImportError as problem:
            from assay.errors import missing_extra

            raise missing_extra("Report.to_frame", "pandas") from problem
        return DataFrame([_claim_row(finding) for finding in self.findings], columns=_FRAME_COLUMNS)

    def __str__(self) -> str:
        from assay.render.plain import render_plain

        return render_plain(self)

    def _repr_html_(self) -> str:
        from assay.render.html import render_fragment

        return render_fragment(self)


_DERIVED = ("answer_sha256", "verdict", "confidence", "grounded", "coverage", "unsupported_rate", "counts")
_JSON = tuple(
    """version answer answer_sha256 question verdict action confidence audit_mode grounded coverage unsupported_rate
    skipped claims risk_flags warnings counts policy_sha256 model timings_ms cost""".split()
)
