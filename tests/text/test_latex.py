"""Formulas read as plain text, prices left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text import strip_markup


def read(text: str) -> str:
    return strip_markup(text, "markdown").text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"It is $8849$ m high.", "It is 8849 m high."),
        (r"It is $8{,}849\ \mathrm{m}$ high.", "It is 8,849 m high."),
        (r"$\approx 5\%$ of them", "≈ 5% of them"),
        (r"$3.5 \times 10^{6}$ cells", "3.5 × 10^6 cells"),
        (r"$25^{\circ}\text{C}$ and $12\,\text{m}^2$", "25°C and 12 m²"),
        (
            r"$\frac{1}{2}$ and $\frac{\text{mg}}{\text{kg}}$ of $H_2O$, $\ge 18$ years",
            "1/2 and mg/kg of H2O, ≥ 18 years",
        ),
        (r"\(x_1\) and \[E = mc^2\] and $$a = b$$", "x1 and E = mc² and a = b"),
        (r"$\alpha$-blockers, $x_i$ and $y_i$", "α-blockers, xi and yi"),
    ],
)
def test_a_formula_is_read(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and 10$ more.",
        "from $5 to $10, US$5-US$10 or $5/$10",
        "$AAPL and $TSLA rose by $1,000.",
        "| Basic | $19 | $49 |",
        r"C:\dir and \alpha",
        "2*3*4 is 24",
    ],
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert read(text) == text


def test_code_is_no_formula() -> None:
    assert read("`$x$` is a variable") == "$x$ is a variable"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=r"$\()[]{}^_ 1a,*`" + "\n"))
def test_every_stretch_of_the_prose_has_a_place_in_the_text(text: str) -> None:
    mapped = strip_markup(text, "markdown")
    for at in range(len(mapped.text)):
        span = mapped.to_original(at, at + 1)
        assert 0 <= span.start <= span.end <= len(text)
