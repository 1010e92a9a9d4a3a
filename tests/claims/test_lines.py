"""Sentences in blocks of code are claims; code is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.claims import extract_claims
from assay.claims.lines import lines_of_code

FACT = "The bridge was opened in 1955."


def checked(answer):
    return [claim.text for claim in extract_claims(answer) if claim.checkable]


@pytest.mark.parametrize(
    "block",
    [
        f"```\n{FACT}\n```",
        f"~~~text\n{FACT}\n~~~",
        f"```markdown\n> {FACT}\n```",
        f"```python\n# {FACT}\nopen_bridge(30)\n```",
        f"```js\n// {FACT}\nrun();\n```",
        f"```c\n/* {FACT} */\nint x = 5;\n```",
        f"```html\n<!-- {FACT} -->\n<p>Hi</p>\n```",
        f"```sql\n-- {FACT}\nSELECT 1;\n```",
        f"```python\n{FACT}\n```",
        f"See:\n\n```\n{FACT}",  # never closed
    ],
)
def test_a_sentence_in_a_block_of_code_is_checked(block):
    assert FACT.rstrip(".") in [text.rstrip(".") for text in checked(block)]


@pytest.mark.parametrize(
    "block",
    [
        "```python\nif x is None:\n    return x\nprint('The value is', x)\n```",
        "```bash\n$ pip install assay\nassay check answer.md --sources docs\n```",
        "```sql\nSELECT name FROM users WHERE active is true\n```",
        "```python\n# This is the main loop\nfor item in items: pass\n```",
        '```json\n{"name": "the value is here", "size": 5}\n```',
        "```yaml\nname: test\nruns-on: ubuntu\n```",
        "```\nx = f(y)\n```",
    ],
)
def test_code_is_not_checked(block):
    assert checked(block) == []


@given(st.text("ab #/*-`~\n.The is 19{}=", max_size=120))
def test_every_character_of_a_block_lies_in_one_stretch(text):
    seen = 0
    for start, end, _ in lines_of_code(text, 0, len(text)):
        assert start >= seen
        assert not text[seen:start].strip()
        assert start < end
        seen = end
    assert not text[seen:].strip()
