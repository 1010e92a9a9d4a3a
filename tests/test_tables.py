"""Files of named values: what they say, and what is said of one that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import PolicyError, UsageError
from assay.tables import read_table, suggest


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "x = 1\n"),
        ("a.toml", "[policy]\nx = 1\n[other]\ny = 2\n"),
        ("a.yaml", "x: 1\n"),
        ("a.YML", "policy:\n  x: 1\nother: 2\n"),
    ],
)
def test_the_table_is_the_file_or_its_section(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_table(tmp_path / name, "policy", kind="policy", error=PolicyError) == {"x": 1}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.toml", b"x = ", "is not valid TOML"),
        ("a.yaml", b"x: [", "is not valid YAML"),
        ("a.yaml", b"- 1\n- 2\n", "holds names and their values, not a list"),
        ("a.toml", b"policy = 3\n", "holds names and their values, not a int"),
        ("a.json", b"{}", "a policy file ends in .toml, .yaml or .yml"),
        ("a.toml", b"\xff\xfe", "cannot read the policy file"),
        ("missing.toml", None, "cannot read the policy file"),
    ],
)
def test_a_bad_file_is_named_with_the_reason(tmp_path: Path, name: str, content: bytes | None, says: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=says) as caught:
        read_table(path, "policy", kind="policy", error=PolicyError)
    assert name in str(caught.value)
    assert isinstance(caught.value, PolicyError)


def test_an_empty_yaml_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("")
    assert read_table(tmp_path / "a.yaml", "policy", kind="policy", error=PolicyError) == {}


def test_a_name_like_the_one_given_is_offered() -> None:
    assert suggest("thread", ["threads", "port"], "see the list") == "did you mean threads?"
    assert suggest("zzz", ["threads", "port"], "see the list") == "see the list"
