"""A file of answers on a cluster of two nodes on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.batch import check_file

ROWS = 40


def write_rows(path: Path) -> Path:
    rows = [
        {"id": n, "answer": f"Hill {n} is {n + 100 + n % 2} m high.", "sources": [f"Hill {n} is {n + 100} m high."]}
        for n in range(ROWS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def verdicts(path: Path) -> dict[int, str]:
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {entry["id"]: entry["report"]["verdict"] for entry in entries}


@pytest.mark.slow
def test_two_nodes_give_the_verdicts_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    path = write_rows(tmp_path / "answers.jsonl")
    check_file(path, tmp_path / "here.jsonl", judge="lexical")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        assert len([node for node in ray.nodes() if node["Alive"]]) == 2
        done = check_file(path, tmp_path / "there.jsonl", judge="lexical", engine="ray")
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert done.checked == ROWS
    assert verdicts(tmp_path / "there.jsonl") == verdicts(tmp_path / "here.jsonl")
    assert len(set(verdicts(tmp_path / "here.jsonl").values())) == 2
