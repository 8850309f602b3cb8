"""The embedding input is made in one way."""

from __future__ import annotations

import pytest

from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from inspector.embedding.context import CONTEXTS, embedding_input
from inspector.embedding.measure import read_chunks
from inspector.embedding.tokens import TokenCounter
from inspector.settings import Settings


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


@pytest.mark.parametrize("context", CONTEXTS)
def test_what_stands_before_a_chunk_is_counted_without_special_tokens(context):
    source = "# A title\n\n## A heading of some words\n\n" + "Words of the text. " * 30
    counter = TokenCounter(Settings().target())
    readings = read_chunks(chunk_document(document_from_text("a.md", source), Options()), counter, context)
    assert readings
    for reading in readings:
        prefix = reading.text[: reading.input.prefix_length]
        assert reading.context_tokens == len(counter.starts(prefix))
        assert (reading.context_tokens > 0) == (context != "none")
