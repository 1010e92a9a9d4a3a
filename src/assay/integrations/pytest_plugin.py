"""The pytest plugin: `assert_grounded(answer, sources)`, and a baseline so that only new failures fail.

    def test_my_bot(assert_grounded):
        assert_grounded(bot("How high is Everest?"), sources=[Path("docs/")])

Claims that are not supported fail the test. `--grounded-baseline FILE` forgives those listed in the file;
`--grounded-update` writes the file from this run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.engine import Source
    from assay.judges import Judge
    from assay.policy import Policy
    from assay.types import Finding, Report

BASELINE = "--grounded-baseline"
UPDATE = "--grounded-update"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "grounded answers")
    group.addoption(BASELINE, metavar="FILE", help="Known unsupported claims, which do not fail a test.")
    group.addoption(UPDATE, action="store_true", help=f"Write the unsupported claims of this run to {BASELINE}.")
    group.addoption("--grounded-judge", metavar="NAME", default="cascade", help="A judge, as for assay check --judge.")


def pytest_configure(config: pytest.Config) -> None:
    place = config.getoption(BASELINE)
    if config.getoption(UPDATE) and not place:
        raise pytest.UsageError(f"{UPDATE} needs {BASELINE} FILE to write to")
    config.stash[_BASELINE] = Baseline.read(Path(place) if place else None, updating=bool(config.getoption(UPDATE)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    session.config.stash[_BASELINE].write()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    baseline = config.stash[_BASELINE]
    if baseline.updating:
        terminalreporter.write_line(f"{len(baseline.seen)} unsupported claims written to {baseline.path}")
    elif baseline.forgiven:
        terminalreporter.write_line(f"{len(baseline.forgiven)} known unsupported claims forgiven by {baseline.path}")


class Baseline:
    """For each test, the claims that are known not to be supported."""

    def __init__(self, path: Path | None, known: set[tuple[str, str]], updating: bool) -> None:
        self.path, self.known, self.updating = path, known, updating
        self.seen: set[tuple[str, str]] = set()
        self.forgiven: set[tuple[str, str]] = set()

    @classmethod
    def read(cls, path: Path | None, *, updating: bool) -> Baseline:
        if path is None or (updating and not path.exists()):
            return cls(path, set(), updating)
        try:
            loaded = json.loads(path.read_text("utf-8"))
            known = {(str(item["test"]), str(item["claim"])) for item in loaded["claims"]}
        except OSError as problem:
            raise pytest.UsageError(f"cannot read the baseline {path}: {problem.strerror}") from problem
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise pytest.UsageError(f"{path} is no baseline of {UPDATE}: {problem}") from problem
        return cls(path, known, updating)

    def new_claims(self, test: str, claims: Iterable[str]) -> set[str]:
        """The claims that are new; all are known while the baseline is being written."""
        found = {(test, claim) for claim in claims}
        self.seen |= found
        self.forgiven |= found & self.known
        return set() if self.updating else {claim for _, claim in found - self.known}

    def write(self) -> None:
        if self.updating and self.path is not None:
            rows = [{"test": test, "claim": claim} for test, claim in sorted(self.seen)]
            self.path.write_text(json.dumps({"version": 1, "claims": rows}, indent=2) + "\n", "utf-8")


_BASELINE = pytest.StashKey[Baseline]()


@pytest.fixture
def assert_grounded(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """Fails the test, with the proof, if a claim of an answer is not supported by its sources; gives the report."""
    baseline = request.config.stash[_BASELINE]
    chosen = str(request.config.getoption("--grounded-judge"))

    def check(
        answer: str,
        sources: Iterable[Source] | Source = (),
        *,
        question: str | None = None,
        policy: Policy | None = None,
        judge: str | Judge | None = None,
        allow: Sequence[str] = (),
    ) -> Report:
        __tracebackhide__ = True
        from assay.engine import verify
        from assay.integrations.adapter import explain

        report = verify(answer, sources=sources, question=question, policy=policy, judge=judge or chosen)
        bad = [finding for finding in report.checkable if _fails(finding, allow)]
        new = baseline.new_claims(request.node.nodeid, (finding.text for finding in bad))
        if new:
            pytest.fail(explain([finding for finding in bad if finding.text in new]), pytrace=False)
        return report

    return check


def _fails(finding: Finding, allow: Sequence[str]) -> bool:
    return finding.verdict.value != "SUPPORTED" and finding.verdict.value.lower() not in allow
