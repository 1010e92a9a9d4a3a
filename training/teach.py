"""What a trained reader says of every claim that a student will see, arrangement by arrangement.

python -m training teach CHECKPOINT OUT --size base --data DATA --written DIR --starts STARTS --passes 2

The arrangements of a pass depend on the config and the data alone, so the student meets the same ones: claims with
sentences taken away, beside other blocks, or before evidence that is not theirs get scores that no label could give.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Sequence
from pathlib import Path

import torch

from training import tiles
from training.batches import Arrangement, rectangle
from training.fit import Data, written_files
from training.lanes import Lanes
from training.lessons import Lesson, lessons_path, write_lessons
from training.network import SharedReader, from_start


def lesson_of(model: SharedReader, items: Sequence[Arrangement]) -> Lesson:
    with torch.no_grad():
        logits, pointer, words = model(rectangle(items, model.shape.pad))
    return Lesson(logits.half(), pointer.half(), words.half())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", default="base")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--written", type=Path, nargs="+", required=True)
    parser.add_argument("--starts", type=Path, required=True)
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("reader.toml"))
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    tiles.enable()
    torch.set_num_threads(1)
    config = tomllib.loads(args.config.read_text())
    recipe = config.pop(args.size)
    config |= {name: recipe[name] for name in ("batch_tokens", "batches_a_step")}
    start = args.starts / recipe["start"]
    model = from_start(start)
    model.load_state_dict(torch.load(args.checkpoint, weights_only=True)["weights"], strict=False)
    lanes = Lanes(model.eval().to(tiles.working_type()), args.threads)
    data = Data(config, args.data, written_files(args.written), start, args.out.parent / "encoded")
    for number in range(args.passes):
        path = lessons_path(args.out, number)
        if not path.exists():
            write_lessons(args.out, number, lanes.each(lesson_of, data.one_pass(number)))
        print(path, flush=True)


if __name__ == "__main__":
    main()
