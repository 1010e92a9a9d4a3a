"""The reference pages, made from the code itself: `python docs/generate.py`, also run by mkdocs before every build.

With `--check` nothing is written, and the exit code is 1 if a page is out of date.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import tomllib
from dataclasses import fields
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "reference"
NOTE = "<!-- Written by docs/generate.py from the code: do not edit. -->\n\n"
ROOMS = ("engine", "judges", "claims", "memory", "ledger", "encoder", "lattice", "llm", "repair", "inline", "epistemic")
EVALUATION = {
    "assay.mutations": ("mutate", "Mutation", "GeneratedClaim", "read_source"),
    "assay.evaluation.selftest": ("run_selftest", "Selftest"),
    "assay.evaluation.layouts": ("read_rows",),
    "assay.evaluation.rows": ("LabelledRow", "LabelledFile"),
    "assay.evaluation.judges": ("find_judge", "MeasuredJudge"),
    "assay.evaluation.evaluate": ("measure", "Evaluation"),
    "assay.calibration": ("recalibrate", "Recalibration", "promise", "Promise"),
}


def write_cli() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from assay.cli.app import app

    parts = ["# Command line\n", "`assay COMMAND --help` says the same.\n"]
    root: Any = get_command(app)
    for name, command in sorted(root.commands.items()):
        parts.append(f"## assay {name}\n\n{_help(command)}\n")
        if hasattr(command, "commands"):
            for below, inner in sorted(command.commands.items()):
                parts.append(f"### assay {name} {below}\n\n{_help(inner)}\n\n{_parameters(inner)}")
        else:
            parts.append(_parameters(command))
    return "\n".join(parts)


def _help(command: Any) -> str:
    said = re.sub(r"\s+", " ", command.help or "").strip()
    return f"{said}\n\n`{command.epilog.removeprefix('Example: ')}`" if command.epilog else said


def _parameters(command: Any) -> str:
    lines = ["| name | default | what it does |", "| --- | --- | --- |"]
    for one in command.params:
        if one.name == "help" or getattr(one, "hidden", False):
            continue
        argument = one.param_type_name == "argument"
        name = (one.metavar or one.name.upper()) if argument else ", ".join(one.opts)
        default = "required" if one.required else _default(one.default)
        lines.append(f"| `{name}` | {default} | {_cell(one.help or '')} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def _default(value: Any) -> str:
    if value is None or value is False or value == "" or callable(value):
        return ""
    return f"`{value}`"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()


def write_policy() -> str:
    """Every policy field with its default, its bounds and its reason, grouped as in the source."""
    from assay.policy import Policy

    groups: dict[str, str] = {}
    heading = ""
    for line in inspect.getsource(Policy).splitlines():
        if found := re.match(r"    # (.+)$", line):
            heading = found[1]
        elif found := re.match(r"    (\w+): \w+ = _", line):
            groups[found[1]] = heading
    parts = [
        "# Policy fields\n",
        "Every threshold is a field of one frozen `Policy`. A TOML or YAML file sets them (`halt_confidence = 0.8`), "
        "`ASSAY_HALT_CONFIDENCE` does so from the environment, an argument goes before both. `assay doctor --policy` "
        "prints what is in force.\n",
    ]
    last = None
    for spec in fields(Policy):
        group = groups.get(spec.name, "")
        if group != last:
            parts.append(f"\n## {group}\n\n| field | default | bounds | why |\n| --- | --- | --- | --- |")
            last = group
        shown = f'"{spec.default}"' if isinstance(spec.default, str) else f"{spec.default}"
        parts.append(f"| `{spec.name}` | `{shown}` | {_bounds(spec.metadata)} | {_cell(spec.metadata['why'])} |")
    return "\n".join(parts) + "\n"


def _bounds(metadata: Any) -> str:
    if "options" in metadata:
        return ", ".join(f"`{option}`" for option in metadata["options"])
    if "low" not in metadata:
        return "text"
    low, high = metadata["low"], metadata["high"]
    return f"{low:g}–{high:g}" if high != float("inf") else f"{low:g} or more"


def write_python() -> str:
    """The public names with their signatures and what they are for."""
    import assay

    parts = ["# Python names\n", "`from assay import …`:\n"]
    parts += [_entry("assay", name) for name in sorted(assay.__all__) if name != "__version__"]
    for room in ROOMS:
        module = import_module(f"assay.{room}")
        names = [name for name in getattr(module, "__all__", ()) if not name.startswith("_")]
        if names:
            parts.append(f"\n## assay.{room}\n\n{_first(module.__doc__)}\n")
            parts += [_entry(f"assay.{room}", name) for name in sorted(names)]
    parts.append("\n## Evaluation\n")
    for module_name, some in EVALUATION.items():
        parts += [_entry(module_name, name) for name in some]
    return "\n".join(parts) + "\n"


def _first(text: str | None) -> str:
    return _cell((text or "").strip().split("\n\n")[0])


def _entry(module: str, name: str) -> str:
    found = getattr(import_module(module), name)
    own = found.__doc__ if (inspect.isclass(found) or inspect.isroutine(found)) else ""
    words = _first(own)
    if inspect.isclass(found) and issubclass(found, Enum):
        words += " One of " + ", ".join(f"`{member.value}`" for member in found) + "."
        return f"- `{module}.{name}`  \n  {words}"
    return f"- `{module}.{name}{_signature(found)}`  \n  {words}"


def _signature(found: Any) -> str:
    if not callable(found) or (inspect.isclass(found) and issubclass(found, BaseException)):
        return ""
    try:
        shown = str(inspect.signature(found))
    except ValueError:
        return "(…)"
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)  # annotations are kept as text
    shown = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", shown)  # <Kind.FACT: 'fact'>
    shown = re.sub(r"<(?:[^<>]|<[^<>]*>)*>", "…", shown).replace(" -> None", "")  # also <function f.<lambda> at …>
    shown = re.sub(r"frozenset\(\{[^}]*\}\)", "…", shown)  # a set has no order to rely on
    return shown if len(shown) <= 400 else "(…)"


def write_json() -> str:
    """The JSON of a report, from a real one, and the published schemas."""
    from assay import Document, Report, check
    from assay.ledger.entries import EvidenceLedger

    source = Document("everest.txt", "Mount Everest is 8,849 m high. It stands on the border between Nepal and China.")
    report = check("Mount Everest is 8,489 m high.", sources=[source], judge="lexical").to_dict()
    report["timings_ms"] = dict.fromkeys(report["timings_ms"], 0.0)
    for claim in report["claims"]:
        claim["latency_ms"] = 0.0
    report["policy_sha256"] = "…"
    parts = [
        "# JSON shapes\n",
        "## A report\n\nEvery interface gives this shape (`assay check --format json`, `report.to_dict()`, REST). "
        f"Times are set to 0 here.\n\n```json\n{json.dumps(report, indent=2, ensure_ascii=False)}\n```\n",
    ]
    lattice = json.loads((ROOT / "src" / "assay" / "lattice" / "schema.json").read_text(encoding="utf-8"))
    for title, where, schema in (
        ("Schema of a report", "`assay.Report.schema()`", Report.schema()),
        ("An evidence ledger", "`assay.ledger.export.schema()`", EvidenceLedger.schema()),
        ("An answer in JSON form with pointers", "shipped as `assay/lattice/schema.json`", lattice),
    ):
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        parts.append(f"## {title}\n\nJSON Schema, {where}.\n\n```json\n{text}\n```\n")
    return "\n".join(parts)


def write_violations() -> str:
    """Every violation and risk flag with its meaning."""
    known = tomllib.loads((ROOT / "docs" / "violations.toml").read_text(encoding="utf-8"))
    parts = ["# Violations and risk flags\n", "A finding carries `violations`, a report `risk_flags`.\n"]
    for heading, key in (("Violations", "violations"), ("Risk flags", "risk_flags")):
        parts.append(f"## {heading}\n\n| name | found when |\n| --- | --- |")
        parts += [f"| `{name}` | {_cell(words)} |" for name, words in known[key].items()]
        parts.append("")
    return "\n".join(parts)


WRITERS = {
    "cli.md": write_cli,
    "policy.md": write_policy,
    "python.md": write_python,
    "json.md": write_json,
    "violations.md": write_violations,
}


def stale() -> list[str]:
    """The pages that are not what the code says today."""
    return [
        name
        for name, write in WRITERS.items()
        if not (PAGES / name).exists() or (PAGES / name).read_text(encoding="utf-8") != NOTE + write()
    ]


def generate() -> None:
    """Writes the pages that changed; the others are left, so that a watching server does not spin."""
    PAGES.mkdir(exist_ok=True)
    for name in stale():
        (PAGES / name).write_text(NOTE + WRITERS[name](), encoding="utf-8")


def on_pre_build(config: Any) -> None:
    """Called by mkdocs before it reads the pages."""
    generate()


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        found = stale()
        sys.exit(f"out of date: {', '.join(found)}; run python docs/generate.py" if found else 0)
    generate()
