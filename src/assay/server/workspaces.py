"""The open stores and engines of each workspace, opened once and shared by all threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from assay.errors import PolicyError, UsageError
from assay.judges import split_judge_name
from assay.memory.stores import stored_embedder
from assay.policy import Policy
from assay.server.auth import KEY_NAME
from assay.server.settings import Settings
from assay.server.store import Evaluations, Replies
from assay.storage.database import is_postgres

if TYPE_CHECKING:
    from assay.cache import Cache
    from assay.engine import Engine
    from assay.epistemic import Checker, EpistemicConfig
    from assay.epistemic.traces import TraceStore
    from assay.ledger import Ledger
    from assay.llm import Generator
    from assay.memory import Memory
    from assay.memory.embed import LazyEmbedder
    from assay.monitors import Monitor

_ENGINES_KEPT = 256
_JUDGEMENTS_KEPT = 2_000
_MOST_RETRIES = 5

# What a request may not change: fields that decide what the machine spends, not what a verdict is.
_SERVER_ONLY = frozenset("threads memory_limit monitor_window retention_days max_usd".split())
_MOST = {"passages_per_claim": 50, "max_branches": 10}


class WorkspaceRegistry:
    """Memories, ledgers, traces, evaluations, monitors and engines by workspace; no workspace sees another's."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.policy = settings.rules()
        self._lock = RLock()
        self._memories: dict[str, Memory] = {}
        self._ledgers: dict[str, Ledger] = {}
        self._traces: dict[str, TraceStore] = {}
        self._evaluations: dict[str, Evaluations] = {}
        self._replies: dict[str, Replies] = {}
        self._monitors: dict[tuple[str, str], Monitor] = {}
        self._caches: dict[str, Cache] = {}
        self._engines: OrderedDict[tuple[str, str, str, str], Engine] = OrderedDict()
        self._embedders: dict[str, LazyEmbedder] = {}
        self._generators: dict[str, Generator] = {}

    def memory(self, workspace: str) -> Memory:
        from assay.memory import Memory

        with self._lock:
            if workspace not in self._memories:
                place = self._place("memory")
                self._memories[workspace] = Memory(
                    place, policy=self.policy, workspace=workspace, embedder=self._embedder(place, workspace)
                )
            return self._memories[workspace]

    def has_memory(self, workspace: str) -> bool:
        """Whether the workspace holds any document; a memory that does not exist is not created."""
        if workspace not in self._memories and stored_embedder(self._place("memory"), workspace) is None:
            return False
        return bool(self.memory(workspace).stats()["documents"])

    def ledger(self, workspace: str) -> Ledger:
        from assay.ledger import Ledger

        with self._lock:
            if workspace not in self._ledgers:
                place = self._place("ledger", f"{workspace}.db")
                self._ledgers[workspace] = Ledger(place, workspace=workspace, policy=self.policy)
            return self._ledgers[workspace]

    def purge(self) -> int:
        """Empties in every ledger what its workspace keeps no longer; the number of records."""
        if is_postgres(self.settings.data):
            names = self.ledger("default").workspaces()
        else:
            names = sorted(path.stem for path in Path(self.settings.data, "ledger").glob("*.db"))
        return sum(
            self.ledger(name).purge(memory=self.memory(name) if self.has_memory(name) else None) for name in names
        )

    def traces(self, workspace: str) -> TraceStore:
        from assay.epistemic.traces import TraceStore

        with self._lock:
            if workspace not in self._traces:
                self._traces[workspace] = TraceStore(
                    self._place("traces", f"{workspace}.db"),
                    workspace=workspace,
                    policy=self.policy,
                    checker=self.checker(workspace),
                    memory=self.memory(workspace),
                )
            return self._traces[workspace]

    def checker(
        self,
        workspace: str,
        judge: str | None = None,
        changes: Mapping[str, Any] | None = None,
        answer_cost_usd: float | None = None,
    ) -> Checker:
        """Epistemic checks by the server's settings, with what a request changes of them.

        What this workspace asked before is remembered, and nobody else's. A request can name only models that the
        settings name.
        """
        from assay.epistemic import Checker
        from assay.judges import JUDGES

        model = (changes or {}).get("verification_model")
        return Checker(
            engine=self.engine(workspace, model if model in JUDGES else judge),
            config=self.epistemic(changes),
            generator=self.generator(str(model)) if model is not None and model not in JUDGES else None,
            answer_cost_usd=answer_cost_usd,
        )

    def epistemic(self, changes: Mapping[str, Any] | None = None) -> EpistemicConfig:
        """The settings of epistemic checks: the server's, with what a request changes."""
        from assay.epistemic import EpistemicConfig

        asked = dict(changes or {})
        if "verification_model" in asked:
            asked["verification_model"] = self.model_spec(str(asked["verification_model"]))
        config = EpistemicConfig.load(policy=self.policy, table=self.settings.epistemic).but(**asked)
        if "max_retries" in asked and config.max_retries > _MOST_RETRIES:
            raise PolicyError(f"max_retries may be at most {_MOST_RETRIES} here, not {config.max_retries}")
        return config

    def evaluations(self, workspace: str) -> Evaluations:
        with self._lock:
            if workspace not in self._evaluations:
                self._evaluations[workspace] = Evaluations(self._place("evaluations", f"{workspace}.db"), workspace)
            return self._evaluations[workspace]

    def replies(self, workspace: str) -> Replies:
        with self._lock:
            if workspace not in self._replies:
                self._replies[workspace] = Replies(self._place("replies", f"{workspace}.db"), workspace)
            return self._replies[workspace]

    def engine(self, workspace: str, judge: str | None = None, changes: Mapping[str, Any] | None = None) -> Engine:
        """The engine of a workspace; models are shared by all, the cache and the monitor are the workspace's own."""
        from assay.engine import Engine

        policy = self.rules(changes)
        name = self._judge_name(judge)
        at = (workspace, name, policy.sha256, KEY_NAME.get())
        with self._lock:
            if at not in self._engines:
                watched = self.settings.monitor and policy == self.policy
                monitor = self.monitor(workspace) if watched else None
                self._engines[at] = Engine(policy, name, monitor=monitor, cache=self._cache(workspace))
                while len(self._engines) > _ENGINES_KEPT:
                    self._engines.popitem(last=False)
            self._engines.move_to_end(at)
            return self._engines[at]

    def _judge_name(self, asked: str | None) -> str:
        """The judge by its full name: `model:NAME` with the spec that the settings have under that name.

        Only the server's own setting may give a spec directly: a request could make it call any address.
        """
        name = asked or self.settings.judge
        first, model = split_judge_name(name)
        if model is None:
            return name
        spec = self.settings.models.get(model)
        if spec is None and name != self.settings.judge:
            raise self._no_model(model)
        return f"{first}+model:{spec or model}" if first else f"model:{spec or model}"

    def _no_model(self, name: str) -> UsageError:
        return UsageError(f"there is no model {name!r} here; there is {', '.join(self.settings.models) or 'none'}")

    def monitor(self, workspace: str, key: str | None = None) -> Monitor:
        """The monitor of a key of a workspace (that of the current request, unless another is named).

        Each key has a window of its own, so that the requests of one cannot disable the verifier for the others. It is
        stored with the other data and survives a restart.
        """
        from assay.engine.store import EngineStore
        from assay.monitors import Monitor

        name = KEY_NAME.get() if key is None else key
        with self._lock:
            if (workspace, name) not in self._monitors:
                shared = is_postgres(self.settings.data)
                place = self.settings.data if shared else self._place("monitors", f"{workspace}.db")
                store = EngineStore(place, f"{workspace}/{name}" if shared else name)
                self._monitors[workspace, name] = Monitor(store, self.policy)
            return self._monitors[workspace, name]

    def reset_monitors(self, workspace: str) -> None:
        """Forgets the outputs of every key of a workspace."""
        for name in {KEY_NAME.get(), *(key.name for key in self.settings.keys if key.workspace == workspace)}:
            self.monitor(workspace, name).reset()

    def _cache(self, workspace: str) -> Cache:
        """Judgements of this workspace alone: response times must not tell what other workspaces have asked."""
        from assay.cache import Cache

        return self._caches.setdefault(workspace, Cache(size=_JUDGEMENTS_KEPT))

    def rules(self, changes: Mapping[str, Any] | None = None) -> Policy:
        """The server's policy with what a request may change of it."""
        if not changes:
            return self.policy
        for name, value in changes.items():
            if name in _SERVER_ONLY or name.startswith("hnsw_"):
                raise PolicyError(f"the policy field {name!r} is the server's own; a request cannot change it")
            most = _MOST.get(name)
            if most is not None and isinstance(value, int | float) and value > most:
                raise PolicyError(f"{name} may be at most {most} here, not {value!r}")
        return self.policy.but(**changes)

    def model_spec(self, name: str) -> str:
        """What a judge or model that a request names stands for; one that the settings do not name is refused."""
        from assay.judges import JUDGES

        if name in JUDGES:
            return name
        self.generator(name)
        return self.settings.models[name]

    def generator(self, name: str | None) -> Generator:
        """A generator the settings name; a request can only choose among them."""
        from assay.llm import make_generator

        models = self.settings.models
        chosen = name or next(iter(models), "")
        if chosen not in models:
            raise self._no_model(chosen)
        with self._lock:
            if chosen not in self._generators:
                self._generators[chosen] = make_generator(models[chosen], policy=self.policy)
            return self._generators[chosen]

    def warm(self) -> None:
        """Loads the shared models, and checks one answer so that everything else that is lazy is loaded too."""
        from assay.engine import Engine
        from assay.types import Document

        self.engine("default").warm()
        Engine(self.policy, "lexical").check("The sky is blue.", sources=[Document("sky", "The sky is blue.")])

    def close(self) -> None:
        with self._lock:
            tables: tuple[dict[Any, Any], ...] = (
                self._memories,
                self._ledgers,
                self._traces,
                self._evaluations,
                self._replies,
                self._monitors,
            )
            for table in tables:
                for opened in table.values():
                    opened.close()
                table.clear()
            self._engines.clear()

    def _embedder(self, place: str, workspace: str) -> LazyEmbedder:
        from assay.memory.embed import DEFAULT_EMBEDDER, LazyEmbedder

        name = stored_embedder(place, workspace) or self.settings.embedder or DEFAULT_EMBEDDER
        return self._embedders.setdefault(name, LazyEmbedder(name, self.policy.threads))

    def _place(self, *parts: str) -> str:
        """A path under the data folder, or the one PostgreSQL address; whoever opens it makes the folder."""
        if is_postgres(self.settings.data):
            return self.settings.data
        return str(Path(self.settings.data).joinpath(*parts))
