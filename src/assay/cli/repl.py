"""`assay repl`: a Python shell with the memory opened, where every answer is checked unless told otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.inputs import open_workspace
from assay.cli.options import JudgeName
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.memory import Memory
    from assay.types import Report

BANNER = """Assay. `memory` is {memory}.
  ask("question")              an answer from the memory, checked; ask("question", verify=False) skips the check
  llm("prompt")                what the model says to any prompt, checked; llm("prompt", verify=False) skips the check
  check("answer", sources=…)   any text against the memory, or against other sources
  /verify                      a report on the last answer; /verify TEXT on a text
  /simple QUESTION             an answer that is not checked; /simple alone turns checking of ask and llm off and on
  verify_claim, audit_reasoning, evidence_dependence, detect_hallucinations   the epistemic checks
"""


def repl(
    memory: Annotated[str | None, typer.Option("--memory", help="Memory to open; without it there is none.")] = None,
    workspace: Annotated[str, typer.Option(help="Workspace in the memory.")] = "default",
    model: Annotated[
        str, typer.Option(help="Generator for ask(): extractive, openai:…, anthropic:…, local:…")
    ] = "extractive",
    judge: JudgeName = "cascade",
    plain: Annotated[
        bool, typer.Option("--plain", help="The plain Python shell, even where IPython is installed.")
    ] = False,
) -> None:
    """Open a Python shell with the memory and the checks at hand."""
    held = None
    if memory is not None:
        held = open_workspace(memory, workspace)
    session = Session(held, model, judge)
    try:
        _shell(session, BANNER.format(memory=memory or "None: give --memory to have one"), plain)
    finally:
        if held is not None:
            held.close()


@dataclass
class Session:
    """What a shell keeps: the memory, who writes and who judges, and the last answer."""

    memory: Memory | None
    model: str = "extractive"
    judge: str = "cascade"
    answer: str = ""
    question: str | None = None
    sources: list[Any] = field(default_factory=list)
    checking: bool = True

    def ask(self, question: str, *, verify: bool | None = None) -> str | None:
        """An answer from the memory; with `verify=False` as it was written, unchecked."""
        if self.memory is None:
            raise UsageError("there is no memory to ask: start with assay repl --memory FOLDER")
        if self.checking if verify is None else verify:
            from assay.engine import Engine
            from assay.repair import ask

            asked = ask(question, memory=self.memory, generator=self.model, engine=Engine(judge=self.judge))
            said = asked.answer if asked.answer is not None else asked.abstention
            self.answer, self.question, self.sources = str(said), question, [self.memory]
            return self.answer
        self.answer, self.question, self.sources = self._draft(question), question, [self.memory]
        return self.answer

    def llm(self, prompt: str, *, sources: Any = None, verify: bool | None = None) -> str:
        """What the model says to a prompt; a report on it is printed unless `verify=False`."""
        from assay.llm import Message, make_generator
        from assay.llm.waiting import run

        if self.model == "extractive":
            raise UsageError("the extractive writer only quotes: start with assay repl --model openai:… (or haiku, …)")
        answer = run(make_generator(self.model).complete([Message("user", prompt)])).text
        self.check(answer, sources, prompt, verify=False)
        if self.checking if verify is None else verify:
            if self.sources:
                print(self.verify())
            else:
                print("not checked: there is no memory, and no sources were given")
        return answer

    def simple(self, question: str | None = None) -> str | None:
        """An unchecked answer; without a question, checking by `ask` and `llm` is turned off, or on again."""
        if question is not None:
            return self.ask(question, verify=False)
        self.checking = not self.checking
        return f"answers are {'checked' if self.checking else 'not checked'} from now on"

    def show(self, answer: str | None = None) -> None:
        """Prints the report on the last answer, or on a text."""
        print(self.verify(answer))

    def check(
        self, answer: str, sources: Any = None, question: str | None = None, *, verify: bool = True
    ) -> Report | None:
        """The report on a text; kept as the last answer, and with `verify=False` only kept."""
        given = sources if sources is not None else ([self.memory] if self.memory is not None else [])
        single = isinstance(given, str) or not isinstance(given, Sequence)
        self.answer, self.question, self.sources = answer, question, [given] if single else list(given)
        return self.verify() if verify else None

    def verify(self, answer: str | None = None) -> Report:
        """The report on the last answer."""
        from assay.engine import check

        if answer is not None:
            self.answer = answer
            self.sources = self.sources or ([self.memory] if self.memory is not None else [])
        if not self.answer:
            raise UsageError("there is no answer yet: use ask(…) or check(…) first")
        return check(self.answer, self.sources, self.question, judge=self.judge)

    def names(self) -> dict[str, Any]:
        """What the shell starts with."""
        import assay
        from assay import epistemic

        shared = {name: getattr(epistemic, name) for name in epistemic.__all__}
        return shared | {
            "assay": assay,
            "memory": self.memory,
            "ask": self.ask,
            "llm": self.llm,
            "simple": self.simple,
            "show": self.show,
            "check": self.check,
            "verify": self.verify,
            "session": self,
        }

    def _draft(self, question: str) -> str:
        from assay.llm import make_generator
        from assay.policy import Policy
        from assay.repair.asking import NO_EVIDENCE
        from assay.repair.case import gather
        from assay.repair.writer import Writer

        policy = Policy()
        draft = Writer(make_generator(self.model), policy).draft(question, gather(question, self.memory, (), policy))
        return draft.text or NO_EVIDENCE


COMMANDS = {"/verify": "show", "/simple": "simple"}


def rewrite(lines: list[str]) -> list[str]:
    """`/verify`, `/verify TEXT`, `/simple` and `/simple QUESTION` as Python; every other line as it is.

    >>> rewrite(["/verify The Nile is long.\\n", "x = 1\\n"])
    ["show('The Nile is long.')\\n", 'x = 1\\n']
    """
    done = []
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if line.startswith("/") and word in COMMANDS:
            done.append(f"{COMMANDS[word]}({repr(rest.strip()) if rest.strip() else ''})\n")
        else:
            done.append(line)
    return done


def _shell(session: Session, banner: str, plain: bool) -> None:
    if not plain:
        try:
            from IPython.terminal.embed import InteractiveShellEmbed
        except ImportError:
            plain = True
        else:
            shell: Any = InteractiveShellEmbed(banner1=banner, user_ns=session.names())  # type: ignore[no-untyped-call]
            # Before IPython's own reading, which would take "/verify" for a call of its own kind.
            shell.input_transformers_cleanup.insert(0, rewrite)
            shell()
            return
    import code

    class Console(code.InteractiveConsole):
        """The plain shell, with `/verify` and `/simple`."""

        def raw_input(self, prompt: str = "") -> str:
            return rewrite([super().raw_input(prompt)])[0].rstrip("\n")

    Console(session.names()).interact(banner=banner, exitmsg="")
