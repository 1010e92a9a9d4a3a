"""A server in this process, on a folder of its own, judged by the rules alone: nothing is loaded."""

import pytest
from starlette.testclient import TestClient

from assay.server.app import make_app
from assay.server.keys import ApiKey
from assay.server.settings import Settings

ANSWER = "Mount Everest is 8,489 m high. It was first climbed in 1953."
SOURCE = "Mount Everest is 8,849 m high. Hillary and Tenzing first climbed it in 1953."


@pytest.fixture
def serve(tmp_path):
    """Makes clients; each is a real app, and a name makes one with that key."""
    opened = []

    def make(**changes):
        settings = Settings(data=str(tmp_path / "data"), judge="lexical", embedder="static", warm=False).but(**changes)
        client = TestClient(
            make_app(settings), base_url="http://localhost", client=("127.0.0.1", 50000), raise_server_exceptions=True
        )
        opened.append(client)
        client.__enter__()
        return client

    yield make
    for client in reversed(opened):
        client.__exit__(None, None, None)


@pytest.fixture
def client(serve):
    return serve()


@pytest.fixture
def teams(serve):
    """One server with two workspaces; headers by key name."""
    made = {
        "a-reader": ApiKey.make("a-reader", workspace="team-a", role="reader"),
        "a-writer": ApiKey.make("a-writer", workspace="team-a", role="writer"),
        "b-admin": ApiKey.make("b-admin", workspace="team-b", role="admin"),
    }
    served = serve(keys=[key for _, key in made.values()])
    return served, {name: {"Authorization": f"Bearer {plain}"} for name, (plain, _) in made.items()}


@pytest.fixture
def runs(monkeypatch):
    """Every run an engine makes meanwhile."""
    from assay.engine import Engine

    made, run = [], Engine.run

    def keep(self, *args, **named):
        made.append(run(self, *args, **named))
        return made[-1]

    monkeypatch.setattr(Engine, "run", keep)
    return made
