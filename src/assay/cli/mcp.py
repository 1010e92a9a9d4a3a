"""`assay mcp`: the tools for assistants that speak the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.options import JudgeName, PolicyFile


def register(app: typer.Typer) -> None:
    app.command("mcp")(serve)


def serve(
    memory: Annotated[
        str,
        typer.Option("--memory", "-m", envvar="ASSAY_MEMORY", help="Folder of the memory, or a database address."),
    ] = ".assay/memory",
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", envvar="ASSAY_WORKSPACE", help="Which of it.")
    ] = "default",
    judge: JudgeName = "cascade",
    embedder: Annotated[str | None, typer.Option(help="For a new memory: minilm-claims or static.")] = None,
    policy_file: PolicyFile = None,
) -> None:
    """Serve verify, retrieve, add_documents, audit_reasoning and detect_hallucinations over standard input/output."""
    from assay.integrations.mcp import Workshop, make_server
    from assay.judges import make_judge
    from assay.policy import Policy

    policy = Policy.load(policy_file)
    make_judge(judge, policy)  # a misspelt name is refused now, not in the middle of a session
    make_server(Workshop(memory, workspace, judge, policy, embedder)).run("stdio")
