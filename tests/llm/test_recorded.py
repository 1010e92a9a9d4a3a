"""A recorded generator asks the model once and answers the same again from its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import GeneratorError, UsageError
from assay.llm import Completion, Message, Scripted
from assay.llm.waiting import run
from bench.recorded import Recorded

ASK = [Message("user", "How high is Everest?")]


def test_what_was_said_once_is_said_again_without_asking(tmp_path: Path) -> None:
    script = Scripted([Completion("8,849 m.", "m", 5, 3, 0.2, finish_reason="length"), "Other sampling."])
    record = tmp_path / "said.jsonl"
    first = run(Recorded(script, record).complete(ASK))
    later = Recorded(script, record)
    again = run(later.complete(ASK))
    assert (again.text, again.finish_reason) == (first.text, first.finish_reason) == ("8,849 m.", "length")
    assert (first.cost_usd, again.cost_usd) == (0.2, 0.0)
    assert len(script.calls) == 1
    assert run(later.complete(ASK, temperature=0.7, seed=1)).text == "Other sampling."
    assert later.name == script.name
    assert later.replayed_s >= 0.0


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    recorded = Recorded(Scripted([GeneratorError("down"), "up"]), tmp_path / "said.jsonl")
    with pytest.raises(GeneratorError):
        run(recorded.complete(ASK))
    assert run(recorded.complete(ASK)).text == "up"


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"key": "x"}'])
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    record = tmp_path / "said.jsonl"
    record.write_text(text)
    with pytest.raises(UsageError, match="is no record of completions"):
        Recorded(Scripted([]), record)
