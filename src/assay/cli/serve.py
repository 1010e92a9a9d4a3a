"""`assay serve`, `assay guard`, `assay mcp` and `assay keys`: the servers, and the keys of their callers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli.options import JudgeName, OtherJudge, PolicyFile, completer

keys = typer.Typer(name="keys", help="API keys of the server.", no_args_is_help=True)

Config = Annotated[
    Path | None, typer.Option("--config", "-c", envvar="ASSAY_CONFIG", help="A TOML or YAML settings file.")
]
Host = Annotated[str | None, typer.Option(help="The address to listen on; keys are needed beyond loopback.")]
Workers = Annotated[int | None, typer.Option("--workers", "-n", help="Processes (1).")]
Streams = Annotated[int | None, typer.Option(help="Streams open at once in each process (128); more wait.")]
Threads = Annotated[int | None, typer.Option(help="Answers judged at once in each process (2).")]
Cors = Annotated[str | None, typer.Option("--cors", help="Origins whose pages may call it, separated by commas.")]
Log = Annotated[str | None, typer.Option(help="json or text.")]


def serve(
    config: Config = None,
    host: Host = None,
    port: Annotated[int | None, typer.Option("--port", "-p", help="The port to listen on (8017).")] = None,
    workers: Workers = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="The data folder, or a postgresql:// address.")
    ] = None,
    judge: OtherJudge = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="What writes answers for ask and chat, as 'openai:NAME@URL'.")
    ] = None,
    threads: Threads = None,
    streams: Streams = None,
    cors: Cors = None,
    log: Log = None,
) -> None:
    """Serve the REST interface under /v1 and the page at /."""
    from assay.server.run import run
    from assay.server.settings import Settings

    given: dict[str, Any] = {"host": host, "port": port, "workers": workers, "data": data, "judge": judge}
    models = {"default": model, "extractive": "extractive"} if model else None
    given |= {"threads": threads, "streams": streams, "cors_origins": cors, "log": log}
    run(Settings.load(config, **given, models=models))


def guard(
    upstream: Annotated[
        str | None,
        typer.Option("--upstream", "-u", help="The OpenAI-compatible server behind it, like http://HOST/v1."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            help="annotate, hold, block or repair.",
            autocompletion=completer("annotate", "hold", "block", "repair"),
        ),
    ] = None,
    config: Config = None,
    host: Host = None,
    port: Annotated[int | None, typer.Option("--port", "-p", help="The port to listen on (8018).")] = None,
    workers: Workers = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="The data folder whose documents are the sources, or a database.")
    ] = None,
    judge: OtherJudge = None,
    upstream_key: Annotated[
        str | None, typer.Option(help="The upstream's API key; without it the client's own is passed on.")
    ] = None,
    threads: Threads = None,
    streams: Streams = None,
    cors: Cors = None,
    log: Log = None,
) -> None:
    """Stand between a client of OpenAI or Anthropic and its model: answers are checked, all else passes through."""
    from assay.server.run import run
    from assay.server.settings import Settings

    given: dict[str, Any] = {"host": host, "port": port, "workers": workers, "data": data, "judge": judge, "log": log}
    given |= {"threads": threads, "streams": streams, "cors_origins": cors}
    settings = Settings.load(config, **given, upstream=upstream, guard=mode, upstream_key=upstream_key)
    if settings.port == Settings.port and port is None:
        settings = settings.but(port=Settings.port + 1)  # the server itself may be running beside it
    settings.check_upstream()
    run(settings, "assay.server.guard.app:from_environment")


def mcp(
    memory: Annotated[
        str, typer.Option("--memory", "-m", envvar="ASSAY_MEMORY", help="Folder of the memory, or a database address.")
    ] = ".assay/memory",
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", envvar="ASSAY_WORKSPACE", help="Which of it.")
    ] = "default",
    judge: JudgeName = "cascade",
    embedder: Annotated[str | None, typer.Option(help="For a new memory: minilm-claims or static.")] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--files", "-f", help="A folder whose files may be given as sources (here; over HTTP none)."),
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="Streamable HTTP at /mcp instead of standard input/output.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="The address to listen on with --http; only this machine's own.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", help="The port to listen on with --http.")] = 8019,
    policy_file: PolicyFile = None,
) -> None:
    """Serve verify, retrieve, add_documents, audit_reasoning and detect_hallucinations over stdio or HTTP."""
    from assay.config import load_policy
    from assay.errors import UsageError
    from assay.integrations.mcp import McpTools, make_server
    from assay.judges import make_judge

    policy = load_policy(policy_file)
    make_judge(judge, policy)  # a misspelt name is refused now, not in the middle of a session
    folders = tuple(files) if files else () if http else (Path.cwd(),)
    server = make_server(McpTools(memory, workspace, judge, policy, embedder, folders))
    if not http:
        server.run("stdio")
        return
    from assay.server.settings import is_loopback

    if not is_loopback(host):
        raise UsageError(f"the MCP server has no keys and listens only on this machine, not on {host}")
    server.run("streamable-http", host=host, port=port)


@keys.command("new")
def new(
    name: Annotated[str, typer.Argument(help="What the log calls this key.")],
    workspace: Annotated[str, typer.Option("--workspace", "-w", help="The workspace it opens.")] = "default",
    role: Annotated[
        str,
        typer.Option(
            "--role", "-r", help="reader, writer or admin.", autocompletion=completer("reader", "writer", "admin")
        ),
    ] = "writer",
) -> None:
    """Make a key: its text goes to standard error once, what the settings file keeps to standard output."""
    from assay.server.keys import ApiKey

    plain, key = ApiKey.make(name, workspace=workspace, role=role)
    typer.echo(f"the key, shown only now: {plain}", err=True)
    fields = {"name": key.name, "workspace": key.workspace, "role": key.role, "sha256": key.sha256}
    # A TOML basic string: JSON's escapes are a subset of its own.
    typer.echo("[[keys]]\n" + "\n".join(f"{field} = {json.dumps(value)}" for field, value in fields.items()))
