"""Each rule with a document it finds something in and one that it must leave alone, and the table of rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.core.chunk import Rung
from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.problems import CHUNKING_RULES, DOCUMENT_RULES, find_problems
from inspector.core.problems.problem import Problem, Severity, quoted
from inspector.core.problems.reading import unreadable
from inspector.core.problems.rules import DEFAULT_RULES, RULES, Needs, RuleChoice, Scope
from inspector.core.problems.tokens import Tokens, token_problems
from inspector.core.strategies.headings import chunk_document

ALL = Options(drop=0, fold=0)
SMALL = Options(drop=0, fold=0, cap=120, code_lines=0)
RUNTS = Options(drop=0, fold=100, cap=120)

SENTENCE = "The store keeps every key in a tree of pages, and each page holds the keys of one range."
TABLE = "| key | meaning |\n| --- | --- |\n" + "".join(f"| key{n} | what the key {n} means |\n" for n in range(6))
CODE = "```\n" + "".join(f"line {n} of a long listing\n" for n in range(8)) + "```\n"


def found(code: str, source: str, options: Options = ALL) -> list[Problem]:
    """Return what one rule finds in a text, given that it may."""
    return list(find_problems(chunk_document(document_from_text("post.md", source), options), frozenset({code})))


HITS = {
    "a level left out": ("skipped-level", "## A\n\n#### B\n", ALL, ["#### B"]),
    "a level left out at the start": ("skipped-level", "# A\n\n### B\n\n# C\n", ALL, ["### B"]),
    "two h1": ("multiple-h1", "# A\n\ntext\n\n# B\n\n# C\n", ALL, ["# B"]),
    "no blank after the hashes": ("hash-without-space", "text\n\n##Install\nmore\n", ALL, ["##Install"]),
    "a paragraph over dashes": ("accidental-setext", "First line\nsecond line\n---\n", ALL, ["First line\nsecond line\n---"]),
    "a sentence over dashes": ("accidental-setext", "It ends here.\n---\n", ALL, ["It ends here.\n---"]),
    "a heading like a paragraph": ("heading-too-long", f"## {SENTENCE} {SENTENCE}\n", ALL, [f"## {SENTENCE} {SENTENCE}"]),
    "a long title in front matter": ("long-title", f"---\ntitle: {SENTENCE * 2}\n---\ntext\n", ALL, [f"title: {SENTENCE * 2}"]),
    "a long h1 as title": ("long-title", f"# {SENTENCE * 2}\n\ntext\n", ALL, [f"# {SENTENCE * 2}"]),
    "a label that is defined nowhere": ("broken-reference", "See [the guide][guide].\n", ALL, ["[the guide][guide]"]),
    "a collapsed reference": ("broken-reference", "Fixed in [#12][] and `a[b][c]`.\n", ALL, ["[#12][]"]),
    "references among links": (
        "broken-reference", "`a` [b](c) [x][y] [**[d](e)**][f] `g` [h][i]\n", ALL, ["[x][y]", "[h][i]"],
    ),
    "a reference in a cell": ("broken-reference", "| a |\n| --- |\n| [x][y] |\n", ALL, ["[x][y]"]),
    "two sections of one name": ("duplicate-trail", "## A\n\none\n\n## A\n\ntwo\n", ALL, ["## A"]),
    "a sentence over the cap": (
        "cut-mid-sentence", f"## A\n\n{SENTENCE[:-1]}, {SENTENCE[4:]}\n", SMALL,
        ["tree of pages, and each page holds the keys of one range."],
    ),
    "a table over the cap": (
        "cut-in-table", f"## A\n\n{TABLE}", SMALL,
        ["| key2 | what the key 2 means |", "| key5 | what the key 5 means |"],
    ),
    "a fence over the cap": ("cut-in-code", f"## A\n\n{CODE}", SMALL, ["line 4 of a long listing"]),
    "a short beginning": ("runt", f"Hello.\n\n## A\n\n{SENTENCE} {SENTENCE}\n", RUNTS, ["Hello."]),
    "a paragraph about what was before": (
        "opens-with-pronoun", f"## A\n\n{SENTENCE}\n\nThis makes a range fast to read from its start to its end.\n", SMALL,
        ["This makes a range fast to read from its start to its end."],
    ),
}  # fmt: skip

NEAR_MISSES = {
    "levels in order": ("skipped-level", "## A\n\n### B\n\n## C\n", ALL),
    "a heading in a component": ("skipped-level", "## A\n\n<DeepDive>\n\n#### B\n\n</DeepDive>\n", ALL),
    "tabs as headings": ("multiple-h1", "# A\n\n# [C#](#tab/csharp)\n\ntext\n\n# [C++](#tab/cpp)\n", ALL),
    "one h1": ("multiple-h1", "# A\n\n## B\n", ALL),
    "a tag": ("hash-without-space", "#todo is a tag, and #12 an issue\n##\n\n```\n##Install\n```\n", ALL),
    "a setext heading": ("accidental-setext", "What now?\n---\n\nInstall\n===\n\n## It ends here.\n", ALL),
    "an empty heading": ("accidental-setext", "## \n", ALL),
    "a plain heading": ("heading-too-long", f"## {SENTENCE}\n", ALL),
    "a plain title": ("long-title", f"# {SENTENCE}\n", ALL),
    "a label that is defined": ("broken-reference", "See [the guide][guide].\n\n[guide]: /g\n", ALL),
    "code and indexes": ("broken-reference", "`[a][b]`, x[1][2] and [^1][^2] and \\[a][b]\n", ALL),
    "site syntax": (
        "broken-reference", "{{< figure [a][b] >}}\n", replace(ALL, dialects=frozenset({"hugo"})),
    ),
    "the same name in other branches": ("duplicate-trail", "## A\n\n### X\n\none\n\n## B\n\n### X\n\ntwo\n", ALL),
    "tabs of one name": ("duplicate-trail", "# [C#](#tab/cs)\n\none\n\n# [C#](#tab/cs)\n\ntwo\n", ALL),
    "a folded one of the same name": (
        "duplicate-trail", f"## A\n\n{SENTENCE} {SENTENCE}\n\n## A\n\ntwo\n", Options(drop=0, fold=20),
    ),
    "cut between sentences": ("cut-mid-sentence", f"## A\n\n{SENTENCE} {SENTENCE} {SENTENCE}\n", SMALL),
    "lines of names": (
        "cut-mid-sentence", "\n".join(f"Name{n} of a person and where they live" for n in range(8)), SMALL,
    ),
    "cut between items": ("cut-mid-sentence", "\n".join(f"- {SENTENCE}" for _ in range(3)), SMALL),
    "a table that fits": ("cut-in-table", f"## A\n\n{TABLE}", ALL),
    "code that fits": ("cut-in-code", f"## A\n\n{CODE}", replace(ALL, code_lines=0)),
    "a short document": ("runt", "Hello.\n", RUNTS),
    "a long beginning": ("runt", f"{SENTENCE}\n\n## A\n\n{SENTENCE}\n", RUNTS),
    "it is": ("opens-with-pronoun", f"## A\n\n{SENTENCE}\n\nIt is possible to read a range from its start to its end.\n", SMALL),
    "a section of its own": ("opens-with-pronoun", f"## A\n\n{SENTENCE}\n\n## B\n\nThis makes a range fast to read.\n", SMALL),
    "another language": (
        "opens-with-pronoun", f"---\nlang: nl\n---\n## A\n\n{SENTENCE}\n\nHe was that before, and these things are long.\n", SMALL,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "source", "options", "spans"), HITS.values(), ids=HITS)
def test_a_rule_finds(code: str, source: str, options: Options, spans: list[str]) -> None:
    problems = found(code, source, options)
    assert [source[problem.span.start : problem.span.end] for problem in problems] == spans
    for problem in problems:
        assert problem.line == source.count("\n", 0, problem.span.start) + 1
        assert problem.severity is RULES[code].severity
        assert problem.message and problem.fix


@pytest.mark.parametrize(("code", "source", "options"), NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_a_rule_leaves_alone(code: str, source: str, options: Options) -> None:
    assert found(code, source, options) == []


@pytest.mark.parametrize(("code", "source", "options", "spans"), HITS.values(), ids=HITS)
def test_line_ends_change_nothing(code: str, source: str, options: Options, spans: list[str]) -> None:
    crlf = source.replace("\n", "\r\n")
    problems = found(code, crlf, options)
    assert [crlf[problem.span.start : problem.span.end].replace("\r\n", "\n") for problem in problems] == spans


def test_a_message_says_which_cap_holds_the_table() -> None:
    problem = found("cut-in-table", f"## A\n\n{TABLE}", SMALL)[0]
    assert problem.message == "Chunk #2 begins within a table, at the row “key2 | what the key 2 means”."
    assert problem.fix == "Split the table in two, or set the cap to 230."
    larger = replace(SMALL, cap=230)
    assert found("cut-in-table", f"## A\n\n{TABLE}", larger) == []


def test_no_cap_is_advised_that_no_model_reads() -> None:
    problem = found("cut-in-table", "text\n\n" + TABLE * 20, SMALL)[0]
    assert problem.fix == "Split the table, with a heading for each part."


def test_a_title_without_a_place_stands_at_the_start() -> None:
    document = document_from_text(f"{SENTENCE * 2}.md", "text\n")
    problem = find_problems(chunk_document(document, ALL), frozenset({"long-title"}))[0]
    assert (problem.span, problem.line) == ((0, 0), 1)


@pytest.mark.parametrize(
    ("options", "source", "fix"),
    [
        (Options(drop=0, fold=20), f"## A\n\n{SENTENCE}\n", "Add a ### near line 3, or set the cap to 80."),
        (Options(drop=0, fold=20), f"{SENTENCE}\n", "Add a ## near line 1, or set the cap to 70."),
        (
            Options(drop=0, fold=20),
            f"See [this](#that).\n\n{SENTENCE}\n",
            "Add a ## near line 3, or set the cap to 80.",
        ),
        (Options(drop=0), f"{SENTENCE}\n", "Add a ## near line 1, or choose a model that reads more."),
    ],
)
def test_a_truncated_chunk_is_told_what_to_do(options: Options, source: str, fix: str) -> None:
    for text in (source, source.replace("\n", "\r\n")):
        chunking = chunk_document(document_from_text("a.md", text), options)
        tokens = [Tokens(20, 16, 4, text.index("one range"), False, 0, 0)]
        assert [problem.fix for problem in token_problems(chunking, tokens, "model")] == [fix]
        assert token_problems(chunking, tokens, "model", frozenset()) == ()


def test_every_rule_is_in_the_table() -> None:
    needs = {code: rule.needs for code, rule in RULES.items()}
    assert set(DOCUMENT_RULES) == {code for code, need in needs.items() if need is Needs.DOCUMENT}
    assert set(CHUNKING_RULES) == {code for code, need in needs.items() if need is Needs.CHUNKS}
    assert {code for code, need in needs.items() if need is Needs.TOKENS} == {"truncated", "unknown-tokens"}
    assert {code for code, need in needs.items() if need is Needs.FILE} == {"unreadable"}
    assert {code for code, rule in RULES.items() if rule.scope is Scope.FOLDER} == {"near-duplicate"}
    assert all(rule.code == code and rule.why.endswith(".") for code, rule in RULES.items())


def test_a_rule_that_is_off_finds_nothing_and_is_found_again() -> None:
    document = document_from_text("a.md", "## A\n\n#### B\n")
    chunking = chunk_document(document, ALL)
    codes = DEFAULT_RULES - {"skipped-level"}
    assert [problem.code for problem in find_problems(chunking)] == ["skipped-level"]
    assert find_problems(chunking, codes) == ()
    assert [problem.code for problem in find_problems(chunking)] == ["skipped-level"]


def test_rules_are_switched_off_and_on() -> None:
    choice = RuleChoice()
    assert choice.codes == DEFAULT_RULES
    off = choice.without("folded")
    assert off == off.without("folded") == RuleChoice(disable=("folded",))
    assert off.codes == DEFAULT_RULES - {"folded"}
    assert off.hidden == ("folded",)
    assert off.including("folded") == choice.including("folded") == choice
    more = choice.including("runt")
    assert more == more.including("runt") == RuleChoice(enable=("runt",))
    assert more.codes == DEFAULT_RULES | {"runt"}
    assert more.without("runt") == choice
    assert RuleChoice(("runt",), ("runt",)).hidden == ()


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    problem = unreadable("a.md", "permission denied")
    assert (problem.message, problem.severity) == ("Can't read a.md: permission denied.", Severity.ERROR)


def test_a_quotation_is_short_and_on_one_line() -> None:
    assert quoted("two\n words") == "“two words”"
    assert quoted("x" * 50) == f"“{'x' * 40}…”"


def test_a_cut_in_a_word_is_within_a_sentence() -> None:
    chunking = chunk_document(document_from_text("a.md", "x" * 300), SMALL)
    assert chunking.chunks[1].starts_at is Rung.CHARACTER
    assert len(found("cut-mid-sentence", "x" * 300, SMALL)) == 2
