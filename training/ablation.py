"""What each rule and each tier of the judge is worth: python -m training ablation [--answers] [--limit N]

Every part of the judge that is not the model (a rule about words, a second look, a tier) is taken out in turn, and the
verdicts on the written dev rows, and on rows of public sets where they are given, are counted again. A part that loses
nothing is to be deleted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from assay.engine import Engine
from assay.evaluation.written import WrittenFigures, judge_answers, judge_claims, read_written, whole_answers
from assay.judges import make_judge

PARTS: dict[str, tuple[tuple[str, Callable], ...]] = {
    "copied sentences are supported": (("assay.judges.cascade.find_copied", lambda forms, sentences: None),),
    "sources that disagree": (("assay.judges.cascade.CascadeRun._conflicts", lambda self: {}),),
    "names for pronouns": (("assay.judges.statement._name_for_pronoun", lambda claim: []),),
    "values as the source writes them": (("assay.judges.statement._values_of_sources", lambda text, passages: []),),
    "other languages": (("assay.judges.cascade.is_readable", lambda claim, passages: True),),
    "short sources shown whole": (("assay.engine.gathering._as_they_are", lambda documents, policy: ()),),
}
JUDGES = {"the whole": "cascade", "without base": "small", "without small": "base"}


@contextmanager
def without(part: str) -> Iterator[None]:
    """The judge without a part, inside."""
    with ExitStack() as stack:
        for target, instead in PARTS.get(part, ()):
            stack.enter_context(patch(target, instead))
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", action="store_true", help="whole answers instead of single claims")
    parser.add_argument("--limit", type=int, help="blocks of each part of the written set")
    parser.add_argument("--judge", default="cascade")
    args = parser.parse_args()
    blocks = read_written()
    if args.limit:
        parts = {block.part for block in blocks}
        blocks = [b for part in sorted(parts) for b in [x for x in blocks if x.part == part][: args.limit]]
    print(f"{'':34} {'claims':>7} {'right':>7} {'false R':>8} {'false S':>8} {'quote':>7}")
    for name, judge, part in [
        *((name, judge, "") for name, judge in JUDGES.items()),
        *((f"without: {part}", args.judge, part) for part in PARTS),
    ]:
        with without(part):
            engine = Engine(judge=make_judge(judge))
            judged = judge_answers(engine, whole_answers(blocks)) if args.answers else judge_claims(engine, blocks)
        found = WrittenFigures.of(judged)
        rates = (found.accuracy, found.false_refuted, found.false_supported, found.first_quote)
        print(f"{name:34} {found.claims:7} " + " ".join(f"{100 * (rate or 0):7.1f}" for rate in rates), flush=True)


if __name__ == "__main__":
    main()
