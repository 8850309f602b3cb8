"""What a naive splitter does to a source, what nobody sees in it, and the few lines that show a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from inspector.core.document import document_from_text, read_document
from inspector.core.ghost import Ghost, find_ghost, naive_cuts, why_invented, why_lost
from inspector.core.minimal import MOST_LINES, ghost_example, lines_of, minimal_example, shrink
from inspector.core.unseen import full_name_of, name_of, unseen_in
from tests.strategies import documents

CASES = Path(__file__).parents[1] / "data" / "cases"


def ghost_of(source: str) -> Ghost:
    return find_ghost(document_from_text("a.md", source))


def lines_at(source: str, offsets: tuple[int, ...]) -> list[str]:
    return [source[offset:].splitlines()[0] for offset in offsets]


def test_a_post_with_crlf_is_one_giant_ghost_chunk() -> None:
    document = read_document("009-eol-crlf.md", (CASES / "009-eol-crlf.md").read_bytes())
    ghost = find_ghost(document)
    assert ghost.chunks == ((0, len(document.source)),)
    assert lines_at(document.source, ghost.lost) == ["## Packing list", "### Footwear", "## Route"]
    assert not ghost.invented
    assert {why_lost(document, start) for start in ghost.lost} == {"CRLF"}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("## One\n\ntext\n", None),
        ("##\tOne\n", None),
        ("#### Four\n# One\n", None),  # levels that it does not look for
        ("text\n\n ## One\n", "indented"),
        ("One\n---\n\ntext\n", "underlined"),
        ("## One\rtext\r", "lone CR"),
        ("text\r## One\n", "after a lone CR"),
        ("\ufeff## One\n", "byte order mark"),
        ("##\n\ntext\n", "no words"),
        ("## One\u2028more\n", "line separator"),
    ],
)
def test_headings_it_loses(source: str, why: str | None) -> None:
    document = document_from_text("a.md", source)
    ghost = find_ghost(document)
    assert [why_lost(document, start) for start in ghost.lost] == ([why] if why else [])
    assert not ghost.invented
    assert ghost.differs == (why is not None)


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("```sh\n## comment\n```\n", "## comment", "code"),
        ("---\ntitle: x\n## list\n---\n", "## list", "front matter"),
        ("<!--\n## hidden\n-->\n", "## hidden", "no heading"),
        ("##\u00a0words\n", "##\u00a0words", "no heading"),
    ],
)
def test_headings_it_invents(source: str, line: str, why: str) -> None:
    document = document_from_text("a.md", source)
    ghost = find_ghost(document)
    assert lines_at(source, ghost.invented) == [line]
    assert why_invented(document, ghost.invented[0]) == why
    assert not ghost.lost


def test_its_chunks_and_which_of_them_holds_a_place() -> None:
    source = "before\n## One\ntext\n## Two\n"
    ghost = ghost_of(source)
    assert [source[a:b] for a, b in ghost.chunks] == ["before\n", "## One\ntext\n", "## Two\n"]
    assert [ghost.chunk_at(offset) for offset in (0, 7, 15, len(source))] == [0, 1, 1, 2]
    assert ghost_of("## One\n").chunks == ((0, 7),)
    assert ghost_of("").chunks == ()


@given(documents())
def test_the_ghost_covers_every_source(source: str) -> None:
    ghost = ghost_of(source)
    assert "".join(source[a:b] for a, b in ghost.chunks) == source
    assert ghost.cuts == naive_cuts(source)
    assert set(ghost.invented) <= set(ghost.cuts) and not set(ghost.lost) & set(ghost.cuts)


# The minimal example


@given(documents())
def test_lines_put_together_are_the_source(source: str) -> None:
    assert "".join(lines_of(source)) == source


def test_what_is_shrunk_still_shows_the_fault_and_no_line_can_go() -> None:
    lines = [f"{number}\n" for number in range(50)]

    def shows(source: str) -> bool:
        return "7\n" in source and "33\n" in source

    kept = shrink(lines, shows)
    assert sorted(kept) == ["33\n", "7\n"] or shows("".join(kept))
    assert all(not shows("".join(kept[:n] + kept[n + 1 :])) for n in range(len(kept)))
    assert shrink(lines, shows, most_trials=3) != kept  # gives up, with the fault still in


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("009-eol-crlf.md", "## Packing list\r\n"),
        ("001-fence-bash-hash.md", "```bash\n## install dependencies\n"),
        ("016-front-matter-toml.md", "+++\n## params\n+++\n"),
        ("055-comment-with-heading.md", "<!-- draft\n## hidden heading\n"),
    ],
)
def test_a_minimal_example_has_the_same_fault(name: str, example: str) -> None:
    document = read_document(name, (CASES / name).read_bytes())
    ghost = find_ghost(document)
    assert ghost_example(document, (*ghost.invented, *ghost.lost)[0]) == example


def test_every_minimal_example_of_the_cases_is_short_and_shows_the_fault() -> None:
    for path in sorted(CASES.glob("*.md")):
        document = read_document(path.name, path.read_bytes())
        if len(document.source) > 20_000:
            continue
        ghost = find_ghost(document)
        for offset in (*ghost.invented, *ghost.lost)[:4]:
            example = ghost_example(document, offset)
            assert example, (path.name, offset)
            assert len(lines_of(example)) <= MOST_LINES
            shown = find_ghost(document_from_text(path.name, example))
            assert shown.invented if offset in ghost.invented else shown.lost


def test_there_is_no_example_of_what_is_right_or_needs_many_lines() -> None:
    document = document_from_text("a.md", "## One\n\n```\n## two\n```\n")
    assert ghost_example(document, 0) == ""
    source = "line\n" * 30
    assert minimal_example(source, 1, lambda text: len(text) >= len(source) - 5) == ""
    assert minimal_example(source, 1, lambda text: False) == ""


# What nobody sees


def test_characters_that_nobody_sees_are_named() -> None:
    source = "a\u200bb\u00a0c\x07d\u202ee\ufefff\x9fg\th\n"
    assert [(unseen.offset, unseen.name) for unseen in unseen_in(source, 0, len(source))] == [
        (1, "ZWSP"),
        (3, "NBSP"),
        (5, "07"),
        (7, "RLO"),
        (9, "BOM"),
        (11, "9F"),
    ]
    assert [unseen.offset for unseen in unseen_in(source, 2, 4)] == [3]
    assert name_of("\u2061") == "2061"
    assert full_name_of("\u200b") == "U+200B ZERO WIDTH SPACE"
    assert full_name_of("\x07") == "U+0007 control character"
