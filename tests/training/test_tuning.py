import gzip
import json

import pytest

torch = pytest.importorskip("torch")

from training.tuning import BATCH, SETS, contrast_loss, plan_batches, read_pairs  # noqa: E402


def write_sets(folder, rows):
    (folder / "train").mkdir()
    for name in SETS:
        with gzip.open(folder / "train" / f"{name}.jsonl.gz", "wt") as file:
            for premise, hypothesis, label in rows:
                file.write(
                    json.dumps({"premise": premise, "hypothesis": hypothesis, "label": label, "source": name}) + "\n"
                )


def test_pairs_are_settled_and_no_text_stands_in_two(tmp_path):
    rows = [
        ("Ann left in 1990.", "Ann left.", "SUPPORTED"),
        ("Ann left in 1990.", "Ann stayed.", "REFUTED"),
        ("Bob came.", "Ann left.", "REFUTED"),
        ("Eve sang.", "Eve danced.", "INSUFFICIENT"),
    ]
    write_sets(tmp_path, rows)
    for pairs in read_pairs(tmp_path, 10).values():
        assert len({claim for claim, _ in pairs}) == len({premise for _, premise in pairs}) == len(pairs)
        assert all("Eve" not in premise for _, premise in pairs)


def test_a_batch_is_of_one_set_and_the_plan_is_the_same_each_time():
    held = {name: [(f"{name} claim {n}", f"{name} text {n}") for n in range(3 * BATCH)] for name in ("a", "b")}
    plan = plan_batches(held)
    assert plan == plan_batches(held)
    assert len(plan) == 6
    assert all(len({claim[0] for claim, _ in batch}) == 1 for batch in plan)


def test_claims_beside_their_own_evidence_cost_less_than_beside_others():
    own = torch.eye(4)
    assert contrast_loss(own, own) < contrast_loss(own, own.roll(1, 0))
