"""The ledger on a terminal: runs, proofs, replays and marks as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.render.escape import one_line
from assay.render.plain import LEDGER_WORDS, STYLES
from assay.render.terminal import verdict_text
from assay.types import Verdict

if TYPE_CHECKING:
    from assay.ledger.feedback import Feedback
    from assay.ledger.replay import Replay
    from assay.ledger.runs import LogLine, RunSummary, StoredRun
    from assay.ledger.staleness import RecheckedFinding, StaleFinding

_SHOWN = 100
_TABLE_WIDTH = 110  # columns of a terminal from which seven columns can be read
_STAGES = {name: place for place, name in enumerate(("sources", "claims", "evidence", "judges", "report"))}


def run_table(runs: Sequence[RunSummary]) -> RenderableType:
    if not runs:
        return Text("no runs", "dim")
    table = _table("run", "time", "verdict", "claims", "coverage", "user", "question or answer")
    lines: list[Text] = []
    for run in runs:
        counts = ", ".join(f"{count} {LEDGER_WORDS.get(name, name)}" for name, count in run.verdicts.items() if count)
        about = f"re-check of {', '.join(run.rechecks)}: " if run.rechecks else ""
        about += f"abstained ({run.abstained}): " if run.abstained else ""
        share = "" if run.coverage is None else f"  {run.coverage:.0%} covered"
        lines.append(
            Text.assemble(f"{run.id}  {_time(run.time)}  ", verdict_text(run.verdict), f"{share}  ", _text(run.user))
        )
        lines.append(Text.assemble("  ", _text(about + (run.question or run.opening))))
        table.add_row(
            run.id,
            _time(run.time),
            verdict_text(run.verdict),
            _text(counts or str(run.claims)),
            "–" if run.coverage is None else f"{run.coverage:.0%}",
            _text(run.user),
            _text(about + (run.question or run.opening)),
        )
    return _ByWidth(table, Group(*lines))


class _ByWidth:
    """A table where there is room for its columns, else lines."""

    def __init__(self, table: Table, lines: Group) -> None:
        self.table, self.lines = table, lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self.table if options.max_width >= _TABLE_WIDTH else self.lines


def run_view(run: StoredRun, marks: Sequence[Feedback]) -> RenderableType:
    """The audit trail of one run, then its findings."""
    payload, summary = run.payload, run.summary()
    facts = Table.grid(padding=(0, 2))
    for name, value in _facts(run, summary):
        facts.add_row(Text(name, "dim"), value if isinstance(value, Text) else _text(str(value), 400))
    said: dict[int, list[Feedback]] = {}
    for mark in marks:
        said.setdefault(mark.claim, []).append(mark)
    findings = _table("#", "verdict", "sure", "claim", "source", "readers")
    for number, finding in enumerate(run.report["claims"]):
        findings.add_row(
            str(number + 1),
            verdict_text(finding["verdict"]),
            f"{finding['confidence']:.2f}",
            _text(finding["text"], 200),
            _text("; ".join(_receipt(item) for item in finding["evidence"]) or "–", 200),
            _text("; ".join(_said(mark) for mark in said.get(number, ())), 120),
        )
    parts: list[RenderableType] = [facts, Text(), findings]
    if payload["attempts"]:
        attempts = _table("attempt", "what is known of it")
        for number, attempt in enumerate(payload["attempts"], 1):
            attempts.add_row(str(number), _text(_flat(attempt), 300))
        parts += [Text(), attempts]
    return Group(*parts)


def _facts(run: StoredRun, summary: RunSummary) -> Iterable[tuple[str, Any]]:
    payload = run.payload
    yield "run", f"{run.id}  (record {run.record.sequence} of the workspace {run.record.workspace!r})"
    yield "time", _time(summary.time)
    who = ", ".join(part for part in (summary.user, f"session {summary.session}" if summary.session else "") if part)
    yield "for", who or "–"
    yield "mode", summary.mode + (f", a re-check of {', '.join(summary.rechecks)}" if summary.rechecks else "")
    if run.question:
        yield "question", run.question
    yield "answer", summary.opening
    if payload.get("abstention"):
        yield "abstained", "; ".join(payload["abstention"]["reasons"])
    yield "verdict", Text.assemble(verdict_text(summary.verdict), f"  → {summary.action}")
    shares = (("coverage", summary.coverage), ("unsupported", summary.unsupported_rate))
    yield "shares", "  ".join(f"{name} {'–' if share is None else f'{share:.0%}'}" for name, share in shares)
    if payload["risk_flags"]:
        yield "risks", ", ".join(dict.fromkeys(payload["risk_flags"]))
    stages = sorted(payload["durations_ms"].items(), key=lambda item: _STAGES.get(item[0], len(_STAGES)))
    yield "time spent", "  ".join(f"{stage} {ms:.1f} ms" for stage, ms in stages)
    spent = payload["spent"]
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    yield "cost", f"{spent['model_calls']:g} model calls, {tokens:g} tokens, {spent['cost_usd']:.4f} USD"
    yield "retrieved", f"{sum(map(len, run.passages))} passages of {len(run.documents)} documents"
    yield "model", run.model
    yield "policy", payload["policy_sha256"][:16]
    yield "run root", run.root
    yield "record hash", run.record.hash


def log_table(lines: Sequence[LogLine]) -> RenderableType:
    if not lines:
        return Text("no results", "dim")
    table = _table("run", "#", "time", "verdict", "sure", "by", "claim")
    for line in lines:
        place = str(line.claim + 1)
        sure = f"{line.confidence:.2f}"
        table.add_row(
            line.run_id, place, _time(line.time), verdict_text(line.verdict), sure, line.method, _text(line.text)
        )
    return table


def proof_lines(chains: Sequence[Mapping[str, Any]]) -> RenderableType:
    if not chains:
        return Text("the ledger is empty", "dim")
    lines = []
    for chain in chains:
        if chain["whole"]:
            length = _count(chain["records"], "record")
            head = f"{chain['records']}:{chain['head']}" if chain["head"] else "–"
            says = f"{length}, nothing changed, removed or reordered; head {head}"
            lines.append(Text.assemble(("✓ ", "green"), f"{chain['workspace']}: {says}"))
        else:
            broken = chain["broken"]
            says = f"{chain['workspace']}: record {broken['record']}: {broken['reason']}"
            lines.append(Text.assemble(("✗ ", "red"), _text(says, 400)))
    return Group(*lines)


def replay_view(replays: Sequence[Replay]) -> RenderableType:
    parts: list[RenderableType] = []
    for done in replays:
        if done.identical:
            noted = f" (although {'; '.join(done.changes)})" if done.changes else ""
            says = f"{done.run_id}: {_count(done.claims, 'claim')}, identical"
            parts.append(Text.assemble(("✓ ", "green"), says, _text(noted)))
            continue
        count = len(done.differences)
        parts.append(Text.assemble(("✗ ", "red"), f"{done.run_id}: {count} of {done.claims} claims differ"))
        table = _table("#", "claim", "was", "is", "because")
        for item in done.differences:
            sides = (_side(item.before), _side(item.after))
            table.add_row(str(item.claim + 1), _text(item.text), *sides, _text("; ".join(item.reasons), 300))
        parts.append(table)
    same = sum(done.identical for done in replays)
    if len(replays) > 1:
        parts.append(Text(f"{same} of {len(replays)} runs identical"))
    return Group(*parts)


def stale_table(stale: Sequence[StaleFinding]) -> RenderableType:
    if not stale:
        return Text("nothing is stale: every cited document is as it was", "green")
    table = _table("run", "#", "verdict", "claim", "because")
    for item in stale:
        table.add_row(
            item.run_id, str(item.claim + 1), verdict_text(item.verdict), _text(item.text), _text(item.reason, 200)
        )
    return Group(table, Text(f"{_count(len(stale), 'stale finding')}; --reverify checks them again", "dim"))


def recheck_table(done: Sequence[RecheckedFinding]) -> RenderableType:
    if not done:
        return Text("nothing is stale: every cited document is as it was", "green")
    table = _table("run", "#", "claim", "was", "is", "recorded as")
    for item in done:
        old, new = verdict_text(item.stale.verdict), verdict_text(item.verdict)
        number = str(item.stale.claim + 1)
        table.add_row(item.stale.run_id, number, _text(item.stale.text), old, new, f"{item.run_id} #{item.claim + 1}")
    moved = sum(item.differs for item in done)
    return Group(table, Text(f"{_count(len(done), 'finding')} checked again, {moved} with another verdict", "dim"))


def mark_table(marks: Sequence[Feedback]) -> RenderableType:
    if not marks:
        return Text("no marks", "dim")
    table = _table("run", "#", "time", "verdict", "readers", "user", "claim")
    for mark in marks:
        number = str(mark.claim + 1)
        verdict, said = verdict_text(mark.verdict), _text(_said(mark))
        table.add_row(mark.run_id, number, _time(mark.time), verdict, said, _text(mark.user), _text(mark.text))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for name in columns:
        whole = name in ("run", "time", "verdict", "#", "sure", "coverage", "was", "is", "recorded as")
        table.add_column(name, no_wrap=whole, overflow="fold", justify="right" if name in ("#", "sure") else "left")
    return table


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _side(outcome: Mapping[str, Any]) -> Text:
    if not outcome:
        return Text("not there", "dim")
    if "verdict" in outcome:
        return verdict_text(outcome["verdict"])
    shown = {name: value for name, value in outcome.items() if name != "evidence"} or outcome
    return _text(", ".join(f"{name} {value}" for name, value in shown.items()), 80)


def _said(mark: Feedback) -> str:
    said = "right" if mark.right else "wrong"
    better = f", should be {STYLES[Verdict(mark.should_be)].word}" if mark.should_be and not mark.right else ""
    return said + better + (f" ({mark.note})" if mark.note else "")


def _receipt(item: Mapping[str, Any]) -> str:
    return f"{item['document']}, {item['start']}–{item['end']}"


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_flat(item)}" for name, item in value.items() if item not in (None, "", [], {}))
    return one_line(str(value), 160)


def _time(stamp: str) -> str:
    return stamp[:19].replace("T", " ")


def _text(text: str, limit: int = _SHOWN) -> Text:
    return Text(one_line(text, limit))
