import pytest

from assay.judges.statement import self_standing
from assay.types import Claim, Span


@pytest.mark.parametrize(
    ("text", "context", "said"),
    [
        ("It opened in 1889.", "The Eiffel Tower stands in Paris.", "Eiffel Tower opened in 1889."),
        ("Its height is 330 m.", "The Eiffel Tower stands in Paris.", "Eiffel Tower’s height is 330 m."),
        ("She was born in Warsaw.", "In 1903 Marie Curie won a prize.", "Marie Curie was born in Warsaw."),
        ("He left.", "the man came in.", "He left."),
        ("This treaty ended the war.", "The Treaty of Paris was signed.", "This treaty ended the war."),
        ("Paris is large.", "The Eiffel Tower stands in Paris.", "Paris is large."),
        ("It opened in 1889.", "", "It opened in 1889."),
    ],
)
def test_a_pronoun_is_replaced_by_the_name_it_points_back_to(text, context, said):
    assert self_standing(Claim(text, (Span(0, len(text)),), context=context)) == said
