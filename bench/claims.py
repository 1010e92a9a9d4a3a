"""How long it takes to find the claims of a short answer, next to what other tools take to split its sentences."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

ANSWER = (
    "Marie Curie was born in Warsaw in 1867 and won two Nobel Prizes [1]. She discovered polonium and radium together "
    "with her husband Pierre. According to the report, the institute she founded still operates in Paris today. "
    "It remains a leading centre for cancer research, Dr. Roux says."
)
QUESTION = "Where was Marie Curie born?"


def run() -> list[tuple[str, str]]:
    """Rows of (what was timed, time in milliseconds of processor time, with the ratio to ours)."""
    from assay.claims import extract_claims

    ours = _milliseconds(lambda: extract_claims(ANSWER, QUESTION))
    rows = [
        ("extract_claims, 50 tokens", f"{_milliseconds(lambda: extract_claims(ANSWER)):.3f} ms"),
        ("extract_claims, 50 tokens, with a question", f"{ours:.3f} ms"),
    ]
    for name, splitter in (("pysbd", _pysbd), ("NLTK punkt", _punkt)):
        split = splitter()
        if split is None:
            rows.append((f"{name}, sentences only", "not installed"))
            continue
        theirs = _milliseconds(lambda split=split: split(ANSWER))  # type: ignore[misc]
        rows.append((f"{name}, sentences only", f"{theirs:.3f} ms ({theirs / ours:.1f} times ours)"))
    return rows


def _milliseconds(work: Callable[[], object], runs: int = 50, rounds: int = 7) -> float:
    """The best of several rounds: the machine may be busy with other things."""
    work()
    best = float("inf")
    for _ in range(rounds):
        start = process_time()
        for _ in range(runs):
            work()
        best = min(best, (process_time() - start) / runs)
    return best * 1000


def _pysbd() -> Callable[[str], object] | None:
    try:
        import pysbd
    except ImportError:
        return None
    segment: Callable[[str], object] = pysbd.Segmenter(language="en", clean=False).segment
    return segment


def _punkt() -> Callable[[str], object] | None:
    try:
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError:
        return None
    tokenize: Callable[[str], object] = PunktSentenceTokenizer().tokenize
    return tokenize


if __name__ == "__main__":
    for name, value in run():
        print(f"{name}: {value}")
