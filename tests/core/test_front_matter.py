"""What is front matter and what is text."""

from __future__ import annotations

import json

import pytest

from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document

BODY = "\n## A\n\nbody words\n"


@pytest.mark.parametrize(
    ("head", "data"),
    [
        ("---\ntitle: A\ntags: [x, y]\n---\n", {"title": "A", "tags": ["x", "y"]}),
        ("---\ndate: 2024-05-06\nat: 2024-05-06 07:08:09\n---\n", {"date": "2024-05-06", "at": "2024-05-06T07:08:09"}),
        ("---\ntitle: A\n...\n", {"title": "A"}),
        ("--- \n# only a comment\n---\n", {}),
        ("---\n---\n", {}),
        ("+++\ntitle = 'T'\nwhen = 07:32:00\nn = inf\n+++\n", {"title": "T", "when": "07:32:00", "n": "inf"}),
        ('{"title": "J", "n": 1, "f": 1.5, "on": true, "none": null}\n', {"title": "J", "n": 1, "f": 1.5, "on": True, "none": None}),
        ("---\nraw: !!binary aGk=\nset: !!set {a: null}\n---\n", {"raw": "b'hi'", "set": ["a"]}),
    ],
)  # fmt: skip
def test_front_matter_is_taken_off_and_read(head: str, data: dict[str, object]) -> None:
    document = document_from_text("a.md", head + BODY)
    assert dict(document.metadata) == data
    json.dumps(data)
    chunking = chunk_document(document, Options(drop=0, fold=0))
    assert [chunk.text for chunk in chunking.chunks] == ["A\n\nbody words"]
    assert document.front_matter is not None
    assert not document.front_matter.fault


@pytest.mark.parametrize(
    "head",
    [
        "---\njust words\n---\n", "---\n- a\n- b\n---\n", "---\ntitle: A\n", "+++\ntitle = 'T'\n", "{not json}\n",
        '{"a": 1} and more\n', "[1, 2]\n", "\n---\ntitle: A\n---\n",
    ],
)  # fmt: skip
def test_what_is_no_front_matter_is_text(head: str) -> None:
    document = document_from_text("a.md", head + BODY)
    assert document.front_matter is None
    assert dict(document.metadata) == {}


@pytest.mark.parametrize(
    ("head", "fault"),
    [
        ("---\ntitle: [\n---\n", "invalid YAML"),
        ("---\ntitle: A\ndate: {{date}}\n---\n", "invalid YAML: found unhashable key at line 3."),
        ("---\na: &x 1\nb: *x\n---\n", "aliases"),
        ("---\na: " + "[" * 200 + "]" * 200 + "\n---\n", "deeper"),
        ("---\ndate: 2024-13-45\n---\n", "invalid YAML"),
        ("+++\ntitle = \n+++\n", "invalid TOML"),
    ],
)
def test_front_matter_that_cannot_be_read_is_still_taken_off(head: str, fault: str) -> None:
    document = document_from_text("a.md", "\ufeff" + head + BODY)
    chunking = chunk_document(document, Options(drop=0, fold=0))
    assert dict(document.metadata) == {}
    assert [chunk.text for chunk in chunking.chunks] == ["A\n\nbody words"]
    problem = next(problem for problem in chunking.problems if problem.code == "front-matter")
    assert fault in problem.message
    assert problem.span == (1, 1 + len(head))


@pytest.mark.parametrize(
    ("title", "expected"),
    [("title: 7", "7"), ("title: true", "H one"), ("title: ' '", "H one"), ("title: [a]", "H one"), ("x: 1", "H one")],
)
def test_a_title_is_words_or_a_number(title: str, expected: str) -> None:
    assert document_from_text("posts/a.b.md", f"---\n{title}\n---\n# H one\n").title == expected


def test_without_any_title_the_files_stem_is_one() -> None:
    assert document_from_text("posts/a.b.md", "text").title == "a.b"
    assert document_from_text("posts/.md", "# \n\ntext").title == ".md"
