"""What another process does to a ledger in the fault tests: `python ledger_writer.py FILE COUNT [NAME]`."""

from __future__ import annotations

import sys

from assay.engine import Engine, Request
from assay.ledger import Ledger
from assay.types import Document

TEXT = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China. " * 20


def main() -> None:
    place, count, name = sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "w"
    engine = Engine(judge="lexical")
    source = Document("everest", TEXT)
    run = engine.run(Request("Mount Everest is 8,849 m high. It is 9,000 m high.", sources=[source]))
    with Ledger(place) as ledger:
        print("open", flush=True)
        for number in range(count):
            run_id = ledger.record(run, user=name, session=str(number))
            print(run_id, flush=True)  # only now is it promised


if __name__ == "__main__":
    main()
