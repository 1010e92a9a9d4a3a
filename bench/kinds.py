"""Small cases of the kinds that early versions got wrong: python -m bench.kinds [--judge NAME]

A line a kind: how many verdicts are right with the shipped judge, then every case that is not.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

from assay import Engine
from assay.policy import Policy
from assay.types import Document

CASES = Path(__file__).with_name("kinds.toml")


def documents_of(evidence: str) -> list[Document]:
    """The passages of a case, each with the title before its first " :: "."""
    found = []
    for number, passage in enumerate(evidence.split(" ~~ "), 1):
        title, _, text = passage.rpartition(" :: ")
        found.append(Document(str(number), text, title=title))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="cascade")
    args = parser.parse_args()
    engine = Engine(Policy(), judge=args.judge)
    wrong, right, count = [], 0, 0
    for kind, table in tomllib.loads(CASES.read_text()).items():
        hits = 0
        for wanted, claim, evidence in table["cases"]:
            judged = [
                one for one in engine.check(claim, sources=documents_of(evidence)).findings if one.claim.checkable
            ]
            said = {one.verdict.value[0] for one in judged}
            got = "R" if "R" in said else "S" if said == {"S"} else "I"
            hits += got == wanted
            if got != wanted:
                wrong.append(f"{kind:24} {wanted} → {got}  {claim} / {evidence[:90]}")
        print(f"{kind:24} {hits:3} of {len(table['cases'])}", flush=True)
        right, count = right + hits, count + len(table["cases"])
    print(f"{'all':24} {right:3} of {count}\n", *wrong, sep="\n")


if __name__ == "__main__":
    main()
