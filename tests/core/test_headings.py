"""The heading strategy's eight steps, each by example."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.core.chunk import Chunking, Fate, Rung
from inspector.core.document import document_from_text
from inspector.core.laws import LawBroken, check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document

ALL = Options(drop=0, fold=0)
WORDS = "Some words in a row that make a line. "


def chunk(source: str, options: Options = ALL) -> Chunking:
    """Chunk a text and check its laws."""
    chunking = chunk_document(document_from_text("a.md", source), options)
    check_chunking(chunking)
    return chunking


def texts(source: str, options: Options = ALL) -> list[str]:
    """Return the chunks' texts."""
    return [chunk.text for chunk in chunk(source, options).chunks]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a <b>bold</b> word", ["a bold word"]),
        ("one<br>two", ["one two"]),
        ("<table><tr><td>a</td><td>b</td></tr></table>", ["a b"]),
        ("Vec<T> and <Math> stay", ["Vec<T> and <Math> stay"]),
        ("a <script>x = 1</script> b", ["a  b"]),
        ("<div><script>x <b>1</b></script>text</div>", ["text"]),
        ("<div><script>never closed</div>", ["never closed"]),
        ("<pre>\n<b>kept</b> <!-- kept -->\n</pre>\n\nafter", ["<b>kept</b> <!-- kept -->\n\nafter"]),
        ("<textarea>never <b>closed", ["never <b>closed"]),
        ("text <!-- gone --> text", ["text  text"]),
        ("before\n<!-- gone -->\nafter", ["before\n\nafter"]),
        ("before\n![gone](x.png)\nafter", ["before\nafter"]),
        ("before\n\n<!-- gone -->\n\nafter", ["before\n\nafter"]),
        ("- <!-- gone -->\n- kept", ["- kept"]),
        ("> [r]: http://example.org\n>\n> kept [r]", [">\n> kept r"]),
        ("<http://alone.example>\n\nwords <http://within.example>", ["words http://within.example"]),
        ("write to <me@example.org>", ["write to me@example.org"]),
        ("<me@example.org>", ["me@example.org"]),
        ("| a | b |\n|---|---|\n| [x](y) \\| <b>z</b> | <http://a.b> |", ["| a | b |\n|---|---|\n| x \\| z | http://a.b |"]),
        ("[![alt](a.png)](b)after", ["after"]),
        ("[text][ref] and [lost]\n\n[ref]: x", ["text and [lost]"]),
        ("`[kept](x)` [a](b)", ["`[kept](x)` a"]),
        ("line end   \nnext\n\n\n\n\nlast", ["line end\nnext\n\nlast"]),
        ("    code\n    [kept](x)", ["code\n    [kept](x)"]),
        ("$$\n[kept](x)\n## kept\n$$", ["$$\n[kept](x)\n## kept\n$$"]),
        ("x[^1]\n\n[^1]: A [note](y)\n\n    its second", ["x[^1]\n\n[^1]: A note\n\n    its second"]),
        ("\u200b\n\n \u2060 ", []),
    ],
)  # fmt: skip
def test_cleaning(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_cleaning_can_be_switched_off() -> None:
    source = "a [b](c) <b>d</b> <!-- e --> ![f](g)\n\n<http://h.i>\n\n[j]: k"
    assert texts(source, Options(drop=0, fold=0, clean=frozenset())) == [source]
    blocks = "<div><!-- a --><img src=b> c</div>\n\n```\n" + "code\n" * 20 + "```"
    assert texts(blocks, Options(drop=0, fold=0, clean=frozenset())) == [blocks]
    assert texts("<http://h.i>", Options(drop=0, fold=0, clean=frozenset({"link"}))) == ["http://h.i"]


def test_all_addresses_go_when_asked() -> None:
    options = Options(drop=0, fold=0, addresses="remove")
    source = "see https://example.org/a_(b), `https://kept.example` and <http://x.y> or www.example.org."
    assert texts(source, options) == ["see , `https://kept.example` and  or ."]


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_the_tail_of_a_long_code_block_goes(fence: str) -> None:
    source = f"{fence}py\n" + "".join(f"line {n}\n" for n in range(12)) + f"{fence}\n"
    assert texts(source)[0].count("line") == 6
    assert texts(source)[0].endswith(fence)
    assert texts(source, Options(drop=0, fold=0, code_lines=10))[0].count("line") == 12, "fewer than three would go"
    indented = "".join(f"    line {n}\n" for n in range(12)) + "\n\nafter"
    assert texts(indented)[0].count("line") == 6


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("## A *b* `c` [d](e) &amp; f\\* ![g](h) <b>i</b> <T> [^1] {#id .x}", "A b c d & f* i <T>"),
        ("## Closed ##", "Closed"),
        ("## A {: #id}", "A"),
        ("## A {/*id*/}", "A"),
        ("## see <http://x.y>", "see http://x.y"),
        ("Two\nlines\n---", "Two lines"),
        ("##", ""),
    ],
)
def test_a_headings_words_are_plain(line: str, words: str) -> None:
    assert [heading.text for heading in document_from_text("a.md", f"{line}\n\n[^1]: n\n").headings] == [words]


def test_a_later_h1_opens_a_section_and_starts_the_trail_anew() -> None:
    chunking = chunk("# T\n\n## A\n\ntext a\n\n# Other\n\ntext b\n\n## C\n\ntext c")
    assert [chunk.trail for chunk in chunking.chunks] == [("A",), ("Other",), ("Other", "C")]
    assert chunking.chunks[1].text == "Other\n\ntext b"


def test_a_first_h1_after_a_section_ends_it() -> None:
    chunking = chunk("## A\n\ntext a\n\n# T\n\ntext b")
    assert [(chunk.trail, chunk.text) for chunk in chunking.chunks] == [(("A",), "A\n\ntext a"), ((), "text b")]
    assert chunking.chunks[1].starts_at is Rung.SECTION
    assert chunking.document.title == "T"


def test_an_h1_that_says_other_words_than_the_stated_title_stays() -> None:
    assert texts("---\ntitle: The Title\n---\n# the title!\n\ntext") == ["text"]
    assert texts("---\ntitle: The Title\n---\n# Another\n\ntext") == ["Another\n\ntext"]


def test_folding_into_related_sections_only() -> None:
    body = WORDS * 3
    source = f"## A\n\n{body}\n\n### A1\n\nrunt one\n\n## B\n\nrunt two\n\n## C\n\n{body}\n\n### C1\n\n{body}\n\n## D\n\nrunt three"
    options = Options(drop=0, fold=60, fold_into="related")
    fates = [section.fate for section in chunk(source, options).sections]
    assert fates == [Fate.KEPT, Fate.FOLDED, Fate.FOLDED, Fate.KEPT, Fate.KEPT, Fate.KEPT]
    headless = f"{body}\n\n## A\n\nrunt"
    assert [section.fate for section in chunk(headless, options).sections] == [Fate.KEPT, Fate.FOLDED]


def test_stubs_are_dropped_or_folded() -> None:
    source = f"## A\n\n{WORDS * 3}\n\n## Stub\n\nx"
    assert [section.fate for section in chunk(source, Options(drop=20, fold=30)).sections][1] is Fate.DROPPED
    assert [section.fate for section in chunk(source, Options(drop=20, fold=30, stubs="fold")).sections][
        1
    ] is Fate.FOLDED
    alone = "## Stub\n\nx"
    assert [section.fate for section in chunk(alone, Options(drop=20, fold=30, stubs="fold")).sections] == [
        Fate.DROPPED
    ]


def test_a_long_heading_is_text_first_and_clipped_afterwards() -> None:
    heading = "A heading that goes on and on " * 3
    chunking = chunk(f"## {heading}\n\n" + WORDS * 10, Options(drop=0, fold=0, cap=120))
    assert chunking.chunks[0].text.startswith("A heading that goes on")
    assert chunking.chunks[-1].text.startswith("A heading that goes on and on\n\n")
    assert any(problem.code == "long-heading" for problem in chunking.problems)


def test_a_word_longer_than_the_cap_is_cut_between_graphemes() -> None:
    chunking = chunk("## H\n\n" + "👩‍👩‍👧‍👦" * 20 + " end", Options(drop=0, fold=0, cap=40))
    bodies = [chunk.text.removeprefix("H\n\n") for chunk in chunking.chunks]
    assert all(len(body) % 7 == 0 for body in bodies[:-1])
    assert {chunk.starts_at for chunk in chunking.chunks[1:-1]} == {Rung.CHARACTER}
    assert texts("e" + "\u0301" * 90, Options(drop=0, fold=0, cap=40))


def test_split_code_repeats_its_fence_and_is_closed() -> None:
    source = "## H\n\n> ```py\n" + "".join(f"> line_{n} = {n}\n" for n in range(20)) + "> ```\n"
    for text in texts(source, Options(drop=0, fold=0, cap=120, code_lines=0)):
        assert text.count("```") == 2
        assert text.startswith("H\n\n> ```py\n")


def test_a_split_table_repeats_its_header() -> None:
    source = "| a | b |\n|---|---|\n" + "".join(f"| cell {n} | more |\n" for n in range(20))
    for text in texts(source, Options(drop=0, fold=0, cap=120)):
        assert text.startswith("| a | b |\n|---|---|\n| cell")
    wide = "| " + "a very wide header " * 4 + "|\n|---|\n" + "| cell |\n" * 30
    assert sum("header" in text for text in texts(wide, Options(drop=0, fold=0, cap=150))) == 1


def test_an_inner_heading_and_a_colon_stay_with_what_follows() -> None:
    source = "## H\n\n" + WORDS * 3 + "\n\n#### Inner\n\nThe list:\n\n- one\n- two\n\n" + WORDS * 2
    inner = next(text for text in texts(source, Options(drop=0, fold=0, cap=150)) if "Inner" in text)
    assert "Inner\n\nThe list:\n\n- one\n- two" in inner


def test_the_last_piece_is_not_left_a_runt_where_a_boundary_helps() -> None:
    source = "## H\n\n" + "\n\n".join(WORDS.strip() for _ in range(4))
    lengths = [len(text) for text in texts(source, Options(drop=0, fold=60, cap=130))]
    assert min(lengths) >= 60


def test_marks_nested_too_deep_are_kept_as_text_with_a_problem() -> None:
    chunking = chunk("> " * 120 + "deep")
    assert "deep" in chunking.chunks[0].text
    assert any(problem.code == "nesting" for problem in chunking.problems)
    lists = chunk("".join("  " * n + "- a\n" for n in range(80)))
    assert any(problem.code == "nesting" for problem in lists.problems)


@pytest.mark.parametrize(
    ("source", "code", "options"),
    [
        ("a\0b " * 5, "nul", ALL),
        ("a\r\nb\n", "line-endings", ALL),
        ("## A\r\rb\r", "line-endings", ALL),
        ("## A\u200bB\n\ntext", "invisible-characters", ALL),
        ("soft\u00adhyphen", "invisible-characters", ALL),
        ("```\n## x\n", "unclosed-fence", ALL),
        ("```\nx\n", "unclosed-fence", ALL),
        ("<!-- never\n\n## closed", "unclosed-comment", ALL),
        ("text <!-- never", "unclosed-comment", ALL),
        ("```\n## comment\n```\n", "heading-in-fence", ALL),
        ("##\u00a0Lookalike\n", "heading-lookalike", ALL),
        ("word " * 400, "no-headings", ALL),
        ("##\u00a0Lookalike\n\n" + "word " * 400, "no-headings", ALL),
        ("word " * 400 + "\n\n```\nx", "no-headings", ALL),
        ("## A\n\nx", "dropped", Options()),
        ("x", "no-chunk", Options()),
        ("## A\n\n" + WORDS * 3 + "\n\n## B\n\nx", "folded", Options(drop=0, fold=50)),
        ("word " * 2000, "giant-chunk", Options(drop=0, fold=0, cap=20_000)),
    ],
)
def test_problems_are_found(source: str, code: str, options: Options) -> None:
    found = [problem for problem in chunk(source, options).problems if problem.code == code]
    assert found, code
    assert all(problem.message and problem.fix for problem in found)


@pytest.mark.parametrize("law", ["7", "8"])
def test_other_broken_laws_are_caught(law: str) -> None:
    source = "## A\n\n" + WORDS * 3 + "\n\n## B\n\nrunt\n\n```\ncode one\ncode two\n```\n"
    folded = chunk(source, Options(drop=0, fold=60))
    if law == "7":
        spoiled = dataclasses.replace(folded, options=ALL)
    else:
        split = chunk("```\n" + "a line of code here\n" * 6 + "```", Options(drop=0, fold=0, cap=60, code_lines=0))
        inside = next(c for c in split.chunks if c.starts_at is Rung.LINE)
        chunks = [dataclasses.replace(c, starts_at=Rung.PARAGRAPH) if c is inside else c for c in split.chunks]
        spoiled = dataclasses.replace(split, chunks=tuple(chunks))
    with pytest.raises(LawBroken, match=f"law {law}"):
        check_chunking(spoiled)
