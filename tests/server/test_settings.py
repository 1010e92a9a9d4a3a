from dataclasses import fields

import pytest

from assay.errors import UsageError
from assay.server.keys import ApiKey, KeyRing
from assay.server.settings import Settings


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path):
    file = tmp_path / "assay.toml"
    file.write_text('port = 1\njudge = "lexical"\nqueue = 5\n')
    found = Settings.load(file, env={"ASSAY_PORT": "2", "ASSAY_QUEUE": "6"}, port=3)
    assert (found.port, found.queue, found.judge) == (3, 6, "lexical")


def test_yaml_and_a_server_table_are_read_too(tmp_path):
    (tmp_path / "a.yaml").write_text("server:\n  port: 7\n")
    assert Settings.load(tmp_path / "a.yaml", env={}).port == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "did you mean port"),
        ('port = "many"', "port is of type int"),
        ("port = -1", "positive"),
        ('judge = "oracle"', "no judge 'oracle'; there are"),
        ("port = ", "not valid TOML"),
        ("[[keys]]\nname = 'x'", "needs the text field"),
        ("[policy]\nhalt = 1", "unknown policy field"),
        ("queue = 1.5", "of type int"),
    ],
)
def test_a_mistake_is_named(tmp_path, text, said):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        Settings.load(tmp_path / "a.toml", env={})


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.org", "::"])
def test_without_keys_only_loopback_is_bound(host):
    with pytest.raises(UsageError, match="without API keys"):
        Settings(host=host)
    assert Settings(host=host, keys=(ApiKey.make("k")[1],)).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_key(host):
    assert Settings(host=host).host == host


def test_settings_survive_the_way_to_a_worker():
    settings = Settings(
        keys=(ApiKey.make("k")[1],), models={"a": "extractive"}, policy={"halt_confidence": 0.8}, queue=3
    )
    assert Settings.from_json(settings.to_json()) == settings
    assert settings.rules().halt_confidence == 0.8


def test_a_key_in_the_environment_is_hashed_at_once():
    plain = "a-long-secret-from-a-container"
    found = Settings.load(env={"ASSAY_API_KEY": plain, "ASSAY_WORKSPACE": "team"})
    assert plain not in repr(found)
    assert plain not in found.to_json()
    assert KeyRing(found.keys).find(plain).workspace == "team"


def test_short_keys_and_unknown_roles_are_refused():
    with pytest.raises(UsageError, match="at least 24"):
        ApiKey.of("secret", name="k", workspace="w", role="reader")
    with pytest.raises(UsageError, match="role of key"):
        ApiKey.make("k", role="owner")
    with pytest.raises(UsageError, match="workspace is named"):
        ApiKey.make("k", workspace="../other")


def test_two_keys_of_one_name_are_refused():
    with pytest.raises(UsageError, match="same name"):
        Settings(keys=(ApiKey.make("k")[1], ApiKey.make("k")[1]))


def test_every_setting_is_documented():
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "server.md").read_text("utf-8")
    assert [spec.name for spec in fields(Settings) if f"`{spec.name}`" not in page] == []
