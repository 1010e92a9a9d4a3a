"""`assay guard`: an OpenAI-compatible proxy that checks every answer on its way."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import OtherJudge


def register(app: typer.Typer) -> None:
    app.command("guard")(guard)


def guard(
    upstream: Annotated[
        str | None,
        typer.Option("--upstream", "-u", help="The OpenAI-compatible server behind it, like http://HOST/v1."),
    ] = None,
    mode: Annotated[str | None, typer.Option("--mode", help="annotate, hold, block or repair.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", envvar="ASSAY_CONFIG", help="A TOML or YAML settings file.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; keys are needed beyond loopback.")] = None,
    port: Annotated[int | None, typer.Option("--port", "-p", help="The port to listen on (8018).")] = None,
    workers: Annotated[int | None, typer.Option("--workers", "-n", help="Processes (1).")] = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="The data folder whose documents are the sources, or a database.")
    ] = None,
    judge: OtherJudge = None,
    upstream_key: Annotated[
        str | None, typer.Option(help="The upstream's API key; without it the client's own is passed on.")
    ] = None,
    log: Annotated[str | None, typer.Option(help="json or text.")] = None,
) -> None:
    """Stand between an OpenAI client and its model: /v1/chat/completions and /v1/models, streaming and not."""
    from assay.errors import UsageError
    from assay.server.run import run
    from assay.server.settings import Settings

    settings = Settings.load(
        config,
        upstream=upstream,
        guard=mode,
        host=host,
        port=port,
        workers=workers,
        data=data,
        judge=judge,
        upstream_key=upstream_key,
        log=log,
    )
    if settings.port == Settings.port and port is None:
        settings = settings.but(port=Settings.port + 1)  # the server itself may be running beside it
    if not settings.upstream.startswith(("http://", "https://")):
        raise UsageError("the guard needs the address of an upstream, like --upstream http://127.0.0.1:11434/v1")
    run(settings, "assay.server.guard.app:from_environment")
