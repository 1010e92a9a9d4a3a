from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ledger.records import Record, Tombstone, canonical, digest, first_break, run_root

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def chain_of(payloads):
    chain = []
    for number, payload in enumerate(payloads):
        last = chain[-1] if chain else None
        chain.append(
            Record.after(last, kind="run", time=f"2026-01-01T00:00:{number:02d}Z", workspace="w", payload=payload)
        )
    return chain


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=6))
def test_a_chain_as_written_holds(payloads):
    assert first_break(chain_of(payloads)) is None


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=2), min_size=1, max_size=6), st.data())
def test_a_changed_record_is_named(payloads, data):
    chain = chain_of(payloads)
    place = data.draw(st.integers(0, len(chain) - 1))
    field = data.draw(st.sampled_from(["kind", "time", "workspace", "payload", "previous", "hash"]))
    value = {"payload": {"tampered": True, "n": len(payloads)}}.get(field, getattr(chain[place], field) and "tampered")
    chain[place] = replace(chain[place], **{field: value})
    found = first_break(chain)
    assert found is not None
    assert found.sequence in (place + 1, place + 2)


@given(st.integers(2, 6), st.data())
def test_a_removed_or_moved_record_is_found(length, data):
    chain = chain_of([{"n": n} for n in range(length)])
    head = chain[-1].hash
    place = data.draw(st.integers(0, length - 1))
    assert first_break(chain[:place] + chain[place + 1 :], expected_head=head) is not None
    other = data.draw(st.integers(0, length - 1).filter(lambda n: n != place))
    chain[place], chain[other] = chain[other], chain[place]
    assert first_break(chain, expected_head=head) is not None


def bury(record):
    """What a purge leaves of a record."""
    names = ("sequence", "kind", "time", "workspace", "payload_sha256", "previous", "hash")
    return Tombstone(**{name: getattr(record, name) for name in names})


def test_a_purged_record_still_holds_the_chain_together():
    chain = chain_of([{"n": n} for n in range(4)])
    assert first_break([chain[0], bury(chain[1]), bury(chain[2]), chain[3]]) is None
    forged = replace(bury(chain[1]), time="2020-01-01T00:00:00Z")
    assert first_break([chain[0], forged, chain[2], chain[3]]).sequence == 2


def test_a_clock_that_jumps_back_does_not_break_the_chain():
    first = Record.after(None, kind="run", time="2026-05-05T00:00:00Z", workspace="w", payload={})
    second = Record.after(first, kind="run", time="2019-01-01T00:00:00Z", workspace="w", payload={})
    assert first_break([first, second]) is None


@given(JSON)
def test_canonical_form_does_not_depend_on_key_order(value):
    shuffled = dict(reversed(list(value.items()))) if isinstance(value, dict) else value
    assert canonical(value) == canonical(shuffled)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": {1, 2}}, b"bytes"])
def test_what_json_cannot_carry_is_refused(value):
    with pytest.raises((ValueError, TypeError), match="a record cannot hold"):
        digest({"value": value})


def test_a_run_root_follows_every_part_of_the_run():
    documents = [("a", "1" * 64), ("b", "2" * 64)]
    root = run_root({"question": "why"}, policy_sha256="p", model="m", documents=documents)
    assert root == run_root({"question": "why"}, policy_sha256="p", model="m", documents=documents[::-1])
    assert root != run_root({"question": "how"}, policy_sha256="p", model="m", documents=documents)
    assert root != run_root({"question": "why"}, policy_sha256="q", model="m", documents=documents)
    assert root != run_root({"question": "why"}, policy_sha256="p", model="n", documents=documents)
    assert root != run_root({"question": "why"}, policy_sha256="p", model="m", documents=documents[:1])
    with pytest.raises(ValueError, match="no stage called 'guess'"):
        run_root({"guess": 1}, policy_sha256="p", model="m", documents=[])
