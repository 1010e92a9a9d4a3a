import random
from pathlib import Path

import training
from training.config import Config
from training.mix import even_out, fingerprint, quotes_any, weave
from training.rows import Row, held_out, read_rows, write_rows


def rows(label: str, count: int, source: str = "set") -> list[Row]:
    return [Row(f"premise {label} {n}", f"claim {n}", label, source) for n in range(count)]


def test_no_label_outweighs_the_rarest_by_more_than_the_skew():
    kept = even_out(rows("SUPPORTED", 100) + rows("REFUTED", 10), 2.0, "seed")
    assert sum(row.label == "SUPPORTED" for row in kept) == 20
    assert sum(row.label == "REFUTED" for row in kept) == 10


def test_any_prefix_of_the_stream_holds_every_set_in_proportion():
    stream = weave({"big": rows("SUPPORTED", 900, "big"), "little": rows("REFUTED", 100, "little")}, "seed")
    for cut in (100, 300, 700):
        share = sum(row.source == "little" for row in stream[:cut]) / cut
        assert 0.07 < share < 0.13


def test_the_same_seed_weaves_the_same_stream():
    groups = {"a": rows("SUPPORTED", 50, "a"), "b": rows("REFUTED", 20, "b")}
    assert weave(groups, "7") == weave(groups, "7") != weave(groups, "8")


def test_a_premise_that_quotes_a_held_out_article_is_recognised_even_when_glued():
    banned = frozenset({fingerprint("The Rhine is one of the major European rivers.")})
    assert quotes_any("It rained.The Rhine is one of the major European rivers.", banned)
    assert not quotes_any("The Rhine was high that year, and so was the Moselle.", banned)


def test_about_a_fifth_of_sources_is_held_out():
    share = sum(held_out(f"title {n}") for n in range(2000)) / 2000
    assert 0.16 < share < 0.24


def test_the_same_rows_make_the_same_bytes(tmp_path):
    random.seed(1)
    some = rows("SUPPORTED", 5)
    write_rows(some, tmp_path / "a.jsonl.gz")
    write_rows(some, tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert read_rows(tmp_path / "a.jsonl.gz") == some


def test_rows_kept_for_calibration_come_after_those_that_any_stage_takes_from_the_front():
    config = Config.read(Path(training.__file__).with_name("config.toml"))
    stages = ("warm", "main", "more", "pairs", "again", "wide", "deep", "deeper", "further", "mended")
    for name, (fresh, _) in config.fresh(800).items():
        shares = [config.share(name, stage) for stage in stages]
        assert fresh.skip >= max(share.skip + share.take for share in shares if share.skip >= 0), name
