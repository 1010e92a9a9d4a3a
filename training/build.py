"""The data build: every stage's stream of rows, the same bytes for the same config and data."""

from __future__ import annotations

from pathlib import Path

from training.config import Config
from training.mix import fingerprint, read_share, weave
from training.nearmiss import near_misses
from training.premises import lengthen, sentences
from training.rows import Row, held_out, read_json, write_rows
from training.synthetic import fact_pairs, qualified, synthetic_groups

STAGES = (
    "warm",
    "main",
    "more",
    "pairs",
    "facts",
    "again",
    "broad",
    "wide",
    "deep",
    "deeper",
    "hedged",
    "further",
    "mended",
)


def banned_sentences(data: Path) -> frozenset[str]:
    """How the sentences of held-out articles begin."""
    banned = set()
    for passage in read_json(data / "corpora" / "squad2_dev.jsonl.gz"):
        if held_out(passage["title"]):
            banned.update(fingerprint(sentence) for sentence in sentences(passage["text"]))
    for question in read_json(data / "corpora" / "hotpotqa_dev.jsonl.gz"):
        for passage in question["passages"]:
            if held_out(passage["title"]) or (held_out(question["question"]) and passage["gold"]):
                banned.update(fingerprint(sentence) for sentence in sentences(passage["text"]))
    return frozenset(banned - {""})


def stage_rows(config: Config, stage: str, data: Path) -> list[Row]:
    """The stream of one stage."""
    if stage == "facts":  # claims in pairs with one fact changed, among the short pairs that are left
        settings = config.raw["facts"]
        pairs = fact_pairs(data, settings["take"], f"{config.seed}:facts")
        rest = stage_rows(config, "pairs", data)[settings["after"] :]
        return weave({"fact_pairs": pairs, "pairs": rest}, f"{config.seed}:{stage}")
    if stage == "broad":  # long and short in equal parts of the time, all of it new to a run that stopped where it says
        settings = config.raw["broad"]
        parts = {}
        for name in ("pairs", "more"):
            first = settings[name]["after"]
            parts[name] = stage_rows(config, name, data)[first : first + settings[name]["take"]]
        parts["fact_pairs"] = fact_pairs(data, settings["facts"], f"{config.seed}:facts")
        return weave(parts, f"{config.seed}:{stage}")
    if stage == "hedged":  # the rest of the stage before it, among claims that say more or no more than their source
        settings = config.raw["hedged"]
        rest = stage_rows(config, "deeper", data)[settings["after"] :]
        made = qualified(data, settings["qualified"], f"{config.seed}:{stage}")
        return weave({"deeper": rest, "qualified": made}, f"{config.seed}:{stage}")
    banned = banned_sentences(data)
    groups: dict[str, list[Row]] = {}
    for name, entry in config.raw["sets"].items():
        # Only sets made from the same encyclopedia articles can leak a held-out one.
        wiki = banned if name in ("squad", "halueval_qa", "boolq") else frozenset()
        rows = read_share(name, config.share(name, stage), data, config.seed, wiki)
        settings = config.raw[stage]
        if entry.get("lengthen") and settings.get("lengthen"):
            rows = lengthen(rows, settings["lengthen"], settings["lengthen_words"], f"{config.seed}:long:{name}")
        if rows:
            groups[name] = rows
    made: dict[str, list[Row]] = {}
    if stage == "pairs":  # beside short pairs, what the third stage left over, so that nothing is forgotten
        first = config.raw["pairs"]["after"]
        rest = stage_rows(config, "more", data)[first : first + config.raw["pairs"]["rest"]]
        return weave(groups | {"more": rest}, f"{config.seed}:{stage}")
    if stage == "again":
        left = config.raw["again"]
        facts = stage_rows(config, "facts", data)[left["facts_after"] :]
        rest = stage_rows(config, "more", data)[left["more_after"] :][: left["more"]]
        return weave(groups | {"facts": facts, "more": rest}, f"{config.seed}:{stage}")
    if stage in ("wide", "deep", "deeper", "further", "mended"):
        settings = config.raw[stage]
        if stage == "deeper":
            groups["deep"] = stage_rows(config, "deep", data)[settings["deep_after"] :]
        first = settings["more"]["after"]
        rest = stage_rows(config, "more", data)[first : first + settings["more"]["take"]]
        groups |= {"more": rest, "fact_pairs": fact_pairs(data, settings["facts"], f"{config.seed}:{stage}:facts")}
        if "qualified" in settings:
            groups["qualified"] = qualified(data, settings["qualified"], f"{config.seed}:{stage}")
        return weave(groups, f"{config.seed}:{stage}")
    if stage != "warm":
        made = synthetic_groups(config, data, groups, "" if stage == "main" else f":{stage}")
    if stage == "more":
        for name, take in config.raw["near_miss"].items():
            made[f"near_{name}"] = near_misses(groups[name], take, f"{config.seed}:near:{name}")
    groups |= made
    return weave(groups, f"{config.seed}:{stage}")


def build(config: Config, data: Path, out: Path, stages: tuple[str, ...] = STAGES) -> None:
    """Writes the streams that are missing."""
    out.mkdir(parents=True, exist_ok=True)
    for stage in stages:
        path = out / f"{stage}.jsonl.gz"
        if path.exists():
            continue
        rows = stage_rows(config, stage, data)
        print(f"{path}: {write_rows(rows, path)} rows", flush=True)
