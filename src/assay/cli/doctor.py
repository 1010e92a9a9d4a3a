"""`assay doctor`: what this installation can do, and what is missing."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli.options import MemoryPlace, TextForm
from assay.errors import UsageError

# What each extra brings, and the distributions that it needs; those for work on Assay itself are left out.
EXTRAS = {
    "documents": ("PDF, Word and wikitext sources", "pypdf python-docx mwparserfromhell charset-normalizer"),
    "wikitext": ("wikitext sources alone", "mwparserfromhell"),
    "parquet": ("Parquet rows", "pyarrow"),
    "postgres": ("PostgreSQL memory", "psycopg pgvector"),
    "server": ("the server and its page", "fastapi uvicorn python-multipart prometheus-client httpx"),
    "openai": ("OpenAI-compatible generators", "openai"),
    "anthropic": ("Anthropic generators", "anthropic"),
    "local": ("GGUF models in process", "xllamacpp"),
    "mcp": ("the MCP server", "mcp"),
    "otel": ("OpenTelemetry spans", "opentelemetry-api opentelemetry-sdk"),
    "otlp": ("OpenTelemetry spans to a collector", "opentelemetry-exporter-otlp-proto-http"),
    "ray": ("--engine ray", "ray"),
    "repl": ("a comfortable assay repl", "ipython"),
    "langchain": ("the LangChain adapter", "langchain-core"),
    "llamaindex": ("the LlamaIndex adapter", "llama-index-core"),
    "haystack": ("the Haystack adapter", "haystack-ai"),
    "dspy": ("the DSPy adapter", "dspy"),
    "litellm": ("the LiteLLM guardrail", "litellm fastapi"),
    "langfuse": ("the Langfuse adapter", "langfuse"),
    "phoenix": ("the Phoenix adapter", "arize-phoenix-client arize-phoenix-otel"),
    "ragas": ("the RAGAS metrics", "ragas langchain-community"),
    "deepeval": ("the DeepEval metric", "deepeval"),
    "guardrails": ("the Guardrails AI validator", "guardrails-ai"),
    "nemo": ("the NeMo Guardrails action", "nemoguardrails"),
    "openwebui": ("the Open WebUI filter", "pydantic"),
    "pandas": ("the pandas accessor", "pandas"),
}
WITHOUT_EXTRA = ("the promptfoo assertion", "the pytest plugin")
OPTIONAL_WEIGHTS = "encoder/base"  # an extra: without it `small` judges alone
REQUIRED = ("typer", "rich", "pyyaml", "selectolax", "numpy", "onnxruntime", "tokenizers", "usearch", "sqlalchemy")


def doctor(
    policy: Annotated[
        bool, typer.Option("--policy", help="List every policy field with its value and reason.")
    ] = False,
    reset_monitor: Annotated[
        bool,
        typer.Option("--reset-monitor", help="Use a verifier again that the monitor disabled, once you looked at it."),
    ] = False,
    memory: MemoryPlace = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="The server's data folder, or its postgresql:// address.")
    ] = None,
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", envvar="ASSAY_WORKSPACE", help="Which workspace of --data.")
    ] = "default",
    form: TextForm = "text",
) -> None:
    """Show what this installation can do; exit code 1 when something it needs is missing or damaged."""
    if reset_monitor:
        _reset_monitor(memory, data, workspace)
        return
    if policy:
        _show_policy(form)
        return
    facts = examine()
    if form == "json":
        typer.echo(json.dumps(facts, indent=2))
    else:
        for line in _lines(facts):
            typer.echo(line)
    raise typer.Exit(0 if facts["healthy"] else 1)


def _reset_monitor(memory: str | None, data: str | None, workspace: str) -> None:
    """Forgets the last outputs of a memory's monitor or of a server's; without a place, of those in .assay."""
    from assay.engine.store import FILE, EngineStore
    from assay.monitors import Monitor
    from assay.storage.database import is_postgres

    shared = next((place for place in (memory, data) if place and is_postgres(place)), None)
    if shared:
        places = [(shared, "" if memory else workspace)]
    else:
        files = [] if data and not memory else [Path(memory or ".assay/memory") / FILE]
        files += [] if memory and not data else [Path(data or ".assay") / "monitors" / f"{workspace}.db"]
        places = [(str(file), "") for file in files if file.is_file()]
        if not places:
            looked = " or ".join(map(str, files))
            raise UsageError(f"there is no monitor at {looked}; say --memory FOLDER, or --data FOLDER of a server")
    for place, name in places:
        with EngineStore(place, name) as store:
            monitor = Monitor(store)
            count = monitor.standing.outputs
            monitor.reset()
        typer.echo(f"{'the database' if shared else place}: {count} outputs forgotten; the verifier is used again")


def examine() -> dict[str, Any]:
    """Versions, extras and shipped weights, each with its state."""
    from assay import __version__

    packages = {name: _version(name) for name in REQUIRED}
    weights = _weights()
    config = _config()
    healthy = (
        "problem" not in config
        and all(packages.values())
        and all(state == "ok" or name == OPTIONAL_WEIGHTS for name, state in weights.items())
    )
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": packages,
        "extras": {extra: _extra(extra, purpose, needed.split()) for extra, (purpose, needed) in EXTRAS.items()},
        "without_extra": list(WITHOUT_EXTRA),
        "weights": weights,
        "config": config,
        "healthy": healthy,
    }


def _config() -> dict[str, Any]:
    """The project's file, what it sets, and the variables that come before it."""
    from assay.config import find_config

    given = sorted(name for name in os.environ if name.startswith("ASSAY_"))
    try:
        config = find_config()
    except UsageError as problem:
        return {"file": None, "problem": str(problem), "settings": {}, "variables": given}
    return {"file": config.path and str(config.path), "settings": config.settings(), "variables": given}


def _extra(name: str, purpose: str, needed: list[str]) -> dict[str, Any]:
    packages = {package: _version(package) for package in needed}
    install = f"pip install 'assay-check[{name}]'"
    return {"for": purpose, "installed": all(packages.values()), "packages": packages, "install": install}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _weights() -> dict[str, str]:
    """Each model of the packages of weights, checked against its manifest."""
    from assay.weights import PACKAGES, describe_missing, find_weights

    states: dict[str, str] = {}
    for name, (room, _, _) in PACKAGES.items():
        folder = find_weights(Path(__file__).parents[1] / room / "weights", name)
        states[f"{room}/{name}"] = _manifest_state(folder / "manifest.json") if folder else describe_missing(name)
    return states


def _manifest_state(manifest: Path) -> str:
    import hashlib

    again = "install its package again with pip install --force-reinstall"
    try:
        files = json.loads(manifest.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError) as problem:
        return f"manifest unreadable: {problem}"
    for name, entry in files.items():
        file = manifest.parent / name
        if not file.exists():
            return f"{name} is missing; {again}"
        if hashlib.sha256(file.read_bytes()).hexdigest() != entry["sha256"]:
            return f"{name} is damaged (hash differs from the manifest); {again}"
    return "ok"


def _lines(facts: dict[str, Any]) -> list[str]:
    lines = [f"assay {facts['assay']}, Python {facts['python']}, SQLite {facts['sqlite']}"]
    for name, found in facts["packages"].items():
        lines.append(f"  {'ok ' if found else 'MISSING'} {name} {found or ''}".rstrip())
    for extra in facts["extras"].values():
        found = ", ".join(f"{package} {has}" for package, has in extra["packages"].items() if has)
        missing = ", ".join(package for package, has in extra["packages"].items() if not has)
        if extra["installed"]:
            lines.append(f"  ok  {extra['for']}: {found}")
        else:
            partly = f" ({found} without {missing})" if found else ""
            lines.append(f"  –   {extra['for']}{partly}   {extra['install']}")
    lines += [f"  ok  {purpose}: no extra needed" for purpose in facts["without_extra"]]
    for name, state in facts["weights"].items():
        mark = "ok " if state == "ok" else "–  " if name == OPTIONAL_WEIGHTS else "BAD"
        lines.append(f"  {mark} weights {name}" + ("" if state == "ok" else f": {state}"))
    config = facts["config"]
    if config["file"]:
        values = ", ".join(f"{name} = {json.dumps(value)}" for name, value in config["settings"].items())
        lines.append(f"  ok  settings of {config['file']}: {values or 'none'}")
    else:
        lines.append(
            f"  BAD {config['problem']}" if "problem" in config else "  –   no assay.toml or [tool.assay] found"
        )
    if config["variables"]:
        lines.append(f"  ok  variables: {', '.join(config['variables'])}")
    lines.append("healthy" if facts["healthy"] else "something is missing: see above")
    return lines


def _show_policy(form: str) -> None:
    from assay.config import load_policy
    from assay.policy import describe

    rows = describe(load_policy())
    if form == "json":
        typer.echo(json.dumps({name: {"value": value, "why": why} for name, value, why in rows}, indent=2))
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, why in rows:
        typer.echo(f"{name:<{width}}  {value!s:<10}  {why}")
