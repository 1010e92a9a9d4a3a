"""`assay serve` and `assay keys`: the server, and the keys that open it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import OtherJudge

keys = typer.Typer(name="keys", help="API keys of the server.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.add_typer(keys)


def serve(
    config: Annotated[
        Path | None, typer.Option("--config", "-c", envvar="ASSAY_CONFIG", help="A TOML or YAML settings file.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; keys are needed beyond loopback.")] = None,
    port: Annotated[int | None, typer.Option("--port", "-p", help="The port to listen on (8017).")] = None,
    workers: Annotated[int | None, typer.Option("--workers", "-n", help="Processes (1).")] = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="The data folder, or a postgresql:// address.")
    ] = None,
    judge: OtherJudge = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="What writes answers for ask and chat, as 'openai:NAME@URL'.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Answers judged at once in each process (2).")] = None,
    log: Annotated[str | None, typer.Option(help="json or text.")] = None,
) -> None:
    """Serve the REST interface under /v1 and the page at /."""
    from assay.server.run import run
    from assay.server.settings import Settings

    models = {"default": model, "extractive": "extractive"} if model else None
    settings = Settings.load(
        config,
        host=host,
        port=port,
        workers=workers,
        data=data,
        judge=judge,
        models=models,
        threads=threads,
        log=log,
    )
    run(settings)


@keys.command("new")
def new(
    name: Annotated[str, typer.Argument(help="What the log calls this key.")],
    workspace: Annotated[str, typer.Option("--workspace", "-w", help="The workspace it opens.")] = "default",
    role: Annotated[str, typer.Option("--role", "-r", help="reader, writer or admin.")] = "writer",
) -> None:
    """Make a key: its text goes to standard error once, what the settings file keeps to standard output."""
    from assay.server.keys import ApiKey

    plain, key = ApiKey.make(name, workspace=workspace, role=role)
    typer.echo(f"the key, shown only now: {plain}", err=True)
    fields = {"name": key.name, "workspace": key.workspace, "role": key.role, "sha256": key.sha256}
    typer.echo("[[keys]]\n" + "\n".join(f"{field} = {_quoted(value)}" for field, value in fields.items()))


def _quoted(value: str) -> str:
    """A TOML basic string; JSON's escapes are a subset of its own."""
    import json

    return json.dumps(value)
