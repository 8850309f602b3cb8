"""The embedding input is made in one way."""

from __future__ import annotations

import pytest

from inspector.embedding.context import embedding_input


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("none", "Body"),
        ("title", "My post\n\nBody"),
        ("title+trail", "My post\nA > B\n\nBody"),
    ],
)
def test_context_stands_before_the_text_and_a_blank_line_between(context, expected):
    made = embedding_input("Body", "My post", ("A", "B"), context)
    assert made.text == expected
    assert made.text[made.prefix_length :] == "Body"


def test_a_title_equal_to_the_first_line_is_not_said_twice():
    text = "My post\n\nBody"
    assert embedding_input(text, "My post", ("A",), "title").text == text
    assert embedding_input(text, "My post", ("A",), "title+trail").text == "A\n\n" + text
    assert embedding_input("My post and more", "My post", (), "title").prefix_length == len("My post\n\n")


def test_nothing_to_say_adds_nothing():
    assert embedding_input("Body", "", (), "title+trail").text == "Body"
    assert embedding_input("Body", " ", (), "title").prefix_length == 0


def test_what_the_model_asks_for_comes_first():
    made = embedding_input("Body", "T", (), "title", prefix="passage: ")
    assert made.text == "passage: T\n\nBody"
    assert made.text[made.prefix_length :] == "Body"


def test_an_unknown_context_is_refused_by_name():
    with pytest.raises(ValueError, match="context must be one of none, title"):
        embedding_input("Body", "T", (), "summary")
