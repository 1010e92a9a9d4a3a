"""The maker of injected errors, on a small corpus of its own."""

from __future__ import annotations

import gzip
import json

import pytest

from assay.errors import UsageError
from bench import injected

PEOPLE = ["Ann Lee", "Bo Ray", "Cy Fox", "Di Orr", "Ed Poe", "Flo Kay", "Gus Nye", "Hal Dun"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(injected, "HELD_OUT_BELOW", 0x100)  # every article of this corpus is unseen
    questions = []
    for number in range(40):
        passages = []
        for place in range(4):
            name = f"{PEOPLE[(number + place) % 8]} {chr(65 + number % 26)}{number}{place}"
            text = (
                f"{name} (born May {number % 27 + 1}, {1900 + number + place}) is an American painter from Boston. "
                f"{name} often sold {number + 20 + place} pictures to many museums in London. "
                f"Some visitors of Madrid bought the work of {name} for {300 + number} dollars."
            )
            passages.append({"title": name, "text": text, "gold": place < 2})
        questions.append({"question": f"Who is number {number}?", "passages": passages})
    for name, records in (("hotpotqa_dev", questions), ("squad2_dev", [])):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
    return tmp_path


def test_every_kind_is_made_with_as_many_right_ones(folder):
    cases = injected.make_cases(folder, "all", each=4)
    counts = {kind: sum(case.kind == kind for case in cases) for kind in (*injected.KINDS, "")}
    assert counts == dict.fromkeys(injected.KINDS, 4) | {"": 24}
    assert cases == injected.make_cases(folder, "all", each=4)


def test_the_halves_share_no_article(folder):
    homes = [
        {
            case.cites
            for case in injected.make_cases(folder, half, each=3)
            if not case.kind and "table" not in case.cites
        }
        for half in ("tune", "report")
    ]
    assert homes[0]
    assert homes[1]
    assert not homes[0] & homes[1]


def test_the_command_prints_a_table_and_what_was_missed(folder, capsys):
    misses = folder / "misses.jsonl"
    words = ["--data", str(folder), "--judge", "lexical", "--half", "all", "--each", "2", "--misses", str(misses)]
    injected.main(words)
    said = capsys.readouterr().out
    assert "| phantom citation | 2 | 100.0% | 100.0%–100.0% |" in said
    assert misses.exists()
    injected.main([*words, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["judge"] == "lexical"


def test_a_missing_corpus_is_said_plainly(tmp_path):
    with pytest.raises(UsageError, match="--data"):
        injected.make_cases(tmp_path)
