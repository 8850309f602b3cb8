"""The one markdown-it-py parser: CommonMark, tables, footnotes, `$$` blocks, and where things stood.

markdown-it-py gives lines, not offsets. The inline rules are wrapped so that links, images, tags and
code spans are recorded with their places in the inline text; the rule for link definitions likewise.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

MAX_NESTING = 100
"""Blocks nested deeper are kept as plain text of the block that holds them, with a problem."""

MAX_INLINE_NESTING = 20
"""Brackets nested deeper are text, as markdown-it has it: each level costs another pass over the paragraph."""

Env = MutableMapping[str, Any]


class InlineMark(NamedTuple):
    """Something found in inline text: `kind` is `link`, `image`, `autolink`, `html` or `code`.

    Offsets are into the inline text; `inner_end` is where a link's anchor text ends.
    """

    kind: str
    start: int
    end: int
    inner_end: int = 0


class _Helpers:
    """markdown-it's link helpers, remembering where each label ends."""

    parseLinkDestination = staticmethod(parseLinkDestination)
    parseLinkTitle = staticmethod(parseLinkTitle)

    @staticmethod
    def parseLinkLabel(state: StateInline, start: int, disableNested: bool = False) -> int:
        if state.src is state.env.get("content") and start > state.env["last_bracket"]:
            return -1  # else every bracket of an unclosed run would be followed to the end
        end = parseLinkLabel(state, start, disableNested)
        if not state.env.get("image_depth"):
            state.env.setdefault("label_ends", {}).setdefault(start, end)
        return end


@cache
def _parser(nesting: int, has_indented_code: bool = True) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": nesting, "html": True}).enable("table")
    footnote_plugin(md, inline=False, move_to_end=False)
    dollarmath_plugin(md, allow_labels=False)
    md.inline.ruler.disable("math_inline")
    if not has_indented_code:
        md.block.ruler.disable("code")
    md.helpers = _Helpers()  # type: ignore[assignment]
    md.validateLink = lambda url: True  # type: ignore[method-assign]
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]
    md.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    for name in ("link", "image", "autolink", "html_inline", "backticks"):
        rule = next(entry.fn for entry in md.inline.ruler.__rules__ if entry.name == name)
        md.inline.ruler.at(name, _recorded(name, rule))
    definition = next(entry.fn for entry in md.block.ruler.__rules__ if entry.name == "reference")
    md.block.ruler.at("reference", _recorded_definition(definition))
    return md


def _recorded(name: str, rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    kind = {"html_inline": "html", "backticks": "code"}.get(name, name)

    def wrapped(state: StateInline, silent: bool) -> bool:
        if silent:
            return rule(state, silent)
        env = state.env
        start = state.pos
        if name == "image":
            env["image_depth"] = env.get("image_depth", 0) + 1
            try:
                matched = rule(state, silent)
            finally:
                env["image_depth"] -= 1
        else:
            matched = rule(state, silent)
        if matched and not env.get("image_depth"):
            if name == "link":
                env["marks"].append(InlineMark(kind, start, state.pos, env["label_ends"][start]))
            elif name != "backticks" or (state.tokens and state.tokens[-1].type == "code_inline"):
                env["marks"].append(InlineMark(kind, start, state.pos))
        return matched

    return wrapped


def _recorded_definition(
    rule: Callable[[StateBlock, int, int, bool], bool],
) -> Callable[[StateBlock, int, int, bool], bool]:
    def wrapped(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        start = state.bMarks[start_line] + state.tShift[start_line]
        matched = rule(state, start_line, end_line, silent)
        if matched and not silent:
            state.env["definitions"].append((start, state.eMarks[state.line - 1]))
        return matched

    return wrapped


def parse_blocks(text: str, has_indented_code: bool = True) -> tuple[list[Token], Env]:
    """Parse the block structure of a text with LF line ends; inline text is left alone.

    Returns the tokens and what inline parsing needs to know: reference and footnote definitions;
    `env["definitions"]` lists the (start, end) of each link definition in `text`.
    """
    md = _parser(MAX_NESTING, has_indented_code)
    env: Env = {"definitions": []}
    tokens: list[Token] = []
    md.block.parse(text, md, env, tokens)
    return tokens, env


def parse_inline(content: str, env: Env) -> tuple[list[Token], list[InlineMark]]:
    """Parse inline text: its tokens, and the marks in it in the order they end."""
    return _parse_inline(_parser(MAX_INLINE_NESTING), content, env)


def find_marks(content: str, env: Env) -> list[InlineMark]:
    """Parse inline text for its marks only, without the rules that make none."""
    return _parse_inline(_mark_parser(), content, env)[1]


@cache
def _mark_parser() -> MarkdownIt:
    md = _parser.__wrapped__(MAX_INLINE_NESTING)
    md.inline.ruler.disable(["emphasis", "entity"])
    md.inline.ruler2.disable(["balance_pairs", "emphasis", "fragments_join"])
    return md


def _parse_inline(md: MarkdownIt, content: str, env: Env) -> tuple[list[Token], list[InlineMark]]:
    marks: list[InlineMark] = []
    env["marks"] = marks
    env["label_ends"] = {}
    env["image_depth"] = 0
    env["content"], env["last_bracket"] = content, content.rfind("]")
    tokens: list[Token] = []
    md.inline.parse(content, md, env, tokens)
    return tokens, marks
