"""What is taken out of a document before it is measured: spans, each with one reason; never a rewrite.

Positions throughout are into the text with LF line ends (`LineMap`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from inspector.core.blocks import HEADING_ID, Block, BlockTree, Inline, Kind, walk
from inspector.core.html import BREAKING, WHOLE, HtmlMark, scan_html, tag_mark
from inspector.core.options import Options
from inspector.core.text import JOINS_BEFORE

REASONS = (
    "bom",
    "front matter",
    "title",
    "heading marks",
    "link definition",
    "code tail",
    "comment",
    "image",
    "url",
    "link",
    "html tag",
    "site syntax",
    "dropped",
    "whitespace",
)
"""Why a character is in no chunk; where several apply the first wins."""

RANK = {reason: rank for rank, reason in enumerate(REASONS)}

MIN_TAIL = 3
"""A code tail is cut only when at least this many lines would go."""

_MARKS_ONLY = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]*)*\Z")
_ATX_OPEN = re.compile(r"[ \t]*#{1,6}(?:[ \t]+|\Z)")  # MDX has no indented code, so any indentation
_ATX_CLOSE = re.compile(r"(?:(?<=[ \t])|\A)#+[ \t]*\Z|[ \t]+\Z")
_ADDRESS = re.compile(
    r"(?<![\w/])(?:https?://|www\.)(?:\([^\s<>()]*\)|[^\s<>()\[\]])*(?<![?!.,:;*_~'\"])", re.IGNORECASE
)
_BLANKS = " \t\x0b\x0c"
_NOT_BLANK = re.compile(rf"[^{_BLANKS}]")


class Removal(NamedTuple):
    """A range of positions that is removed, and why."""

    start: int
    end: int
    reason: str


class Insertion(NamedTuple):
    """Synthetic text that stands at a position, and why."""

    position: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is removed (disjoint, in order) and what is put in (in order)."""

    removals: tuple[Removal, ...]
    insertions: tuple[Insertion, ...]


def clean(
    text: str,
    body_start: int,
    tree: BlockTree,
    title: Block | None,
    outline: list[Block],
    options: Options,
    site: Iterable[tuple[int, int]] = (),
) -> Cleaned:
    """Find all that goes from `text`: the start up to `body_start`, the title, what cleaning takes, and `site`,
    the ranges that dialects found."""
    raw: list[Removal] = []
    breaking: set[int] = set()
    for block in outline:
        if block is title:
            raw.append(Removal(block.start, block.end, "title"))
        else:
            raw.extend(heading_marks(text, block))
    raw.extend(_syntax(text, tree, options, breaking))
    raw.extend(Removal(start, end, "site syntax") for start, end in site)
    flat = _flatten(raw)
    code = list(_code_ranges(tree.blocks))
    flat = _flatten([*flat, *_emptied_lines(text, body_start, flat, tree)])
    white = list(_white_space(text, body_start, flat, code))
    if body_start:
        bom = 1 if text.startswith("\ufeff") else 0
        head = [Removal(0, 1, "bom")] if bom else []
        if body_start > bom:
            head.append(Removal(bom, body_start, "front matter"))
        flat = head + flat
    flat = _flatten([*flat, *white])
    return Cleaned(tuple(flat), tuple(_insertions(text, flat, breaking, outline, title)))


def heading_marks(text: str, heading: Block) -> Iterator[Removal]:
    """Yield what makes a line of the outline a heading: hashes, underline, ids."""
    end = heading.end
    if heading.markup in ("=", "-"):
        underline = text.rfind("\n", heading.start, end)
        yield Removal(underline, end, "heading marks")
        end = underline
        indent = heading.start
    else:
        opening = _ATX_OPEN.match(text, heading.start, end)
        assert opening is not None
        yield Removal(opening.start(), opening.end(), "heading marks")
        indent = opening.end()
        closing = _ATX_CLOSE.search(text[indent:end])
        if closing:
            yield Removal(indent + closing.start(), end, "heading marks")
            end = indent + len(text[indent : indent + closing.start()].rstrip(" \t"))
            if end < indent + closing.start():
                yield Removal(end, indent + closing.start(), "heading marks")
    identifier = HEADING_ID.search(text[indent:end])
    if identifier:
        yield Removal(indent + identifier.start(), end, "heading marks")


def _syntax(text: str, tree: BlockTree, options: Options, breaking: set[int]) -> Iterator[Removal]:
    if "link" in options.clean:
        for start, end in tree.definitions:
            yield Removal(start, end, "link definition")
    for block in walk(tree.blocks):
        if block.kind in (Kind.FENCE, Kind.CODE):
            if options.code_lines and "code" in options.clean:
                yield from _code_tail(text, tree, block, options.code_lines)
        elif block.kind is Kind.HTML:
            yield from _html_block(text, block, options, breaking)
        else:
            for inline in block.inlines:
                yield from _inline(text, block, inline, options, breaking)


def _code_tail(text: str, tree: BlockTree, block: Block, keep: int) -> Iterator[Removal]:
    first, last = block.first_line, block.last_line
    if block.kind is Kind.FENCE:
        first += 1
        last -= 1 if block.is_closed else 0
    if last - first + 1 - keep >= MIN_TAIL:
        end = min(len(text), tree.line_starts[last + 1])
        yield Removal(tree.line_starts[first + keep], end, "code tail")


def _html_block(text: str, block: Block, options: Options, breaking: set[int]) -> Iterator[Removal]:
    for mark in scan_html(text, block.start, block.end):
        if mark.kind == "comment":
            if "comment" in options.clean:
                yield Removal(mark.start, mark.end, "comment")
        elif mark.kind == "image":
            if "image" in options.clean:
                yield Removal(mark.start, mark.end, "image")
        elif "html" in options.clean:
            yield Removal(mark.start, mark.end, "html tag")
            if mark.name in BREAKING:
                breaking.add(mark.start)


def _inline(text: str, block: Block, inline: Inline, options: Options, breaking: set[int]) -> Iterator[Removal]:
    """Yield what cleaning takes from a run of inline text."""
    taken: list[tuple[int, int]] = []
    whole: dict[str, int] = {}
    for mark in sorted(inline.marks, key=lambda mark: mark.start):
        start, end = inline.position(mark.start), inline.position(mark.end - 1) + 1
        inner_end = inline.position(mark.inner_end) if mark.kind == "link" else start
        taken.append((inner_end, end))
        if mark.kind == "image" and "image" in options.clean:
            yield Removal(start, end, "image")
        elif mark.kind == "link" and "link" in options.clean:
            yield Removal(start, start + 1, "link")
            yield Removal(inner_end, end, "link")
        elif mark.kind == "autolink":
            yield from _autolink(text, block, start, end, options)
        elif mark.kind == "html":
            html = tag_mark(inline.content, mark.start, mark.end)
            if html is not None:
                yield from _inline_tag(text, html, start, end, options, breaking, whole)
    if options.addresses == "remove" and "url" in options.clean:
        yield from _addresses(inline, taken)


def _inline_tag(
    text: str, html: HtmlMark, start: int, end: int, options: Options, breaking: set[int], whole: dict[str, int]
) -> Iterator[Removal]:
    """Yield a comment, an image or a tag within text; `whole` holds where a script or style opened."""
    if html.kind in ("comment", "image"):
        if html.kind in options.clean:
            yield Removal(start, end, html.kind)
        return
    if "html" not in options.clean:
        return
    closes = text[start + 1] == "/"
    opened = whole.pop(html.name, None) if closes else None
    yield Removal(start if opened is None else opened, end, "html tag")
    if html.name in WHOLE and not closes:
        whole.setdefault(html.name, start)
    if html.name in BREAKING:
        breaking.add(start)


def _autolink(text: str, block: Block, start: int, end: int, options: Options) -> Iterator[Removal]:
    address = text[start + 1 : end - 1]
    is_mail = ":" not in address.split("@")[0]
    if not is_mail and "url" in options.clean:
        if options.addresses == "remove" or _is_alone(text, block, start, end):
            yield Removal(start, end, "url")
            return
    if "link" in options.clean:
        yield Removal(start, start + 1, "link")
        yield Removal(end - 1, end, "link")


def _is_alone(text: str, block: Block, start: int, end: int) -> bool:
    """Whether an autolink stands alone on its line; never in a heading, a cell or a footnote."""
    if block.kind is not Kind.PARAGRAPH or block.level:
        return False
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    after = text[end : line_end if line_end >= 0 else len(text)]
    return not after.strip() and _MARKS_ONLY.match(text[line_start:start].replace("\u00a0", " ")) is not None


def _addresses(inline: Inline, taken: list[tuple[int, int]]) -> Iterator[Removal]:
    for match in _ADDRESS.finditer(inline.content):
        start, end = inline.position(match.start()), inline.position(match.end() - 1) + 1
        if not any(a < end and start < b for a, b in taken):
            yield Removal(start, end, "url")


def _flatten(removals: Iterable[Removal]) -> list[Removal]:
    """Make removals disjoint: where several apply, the reason of the first rank holds."""
    ordered = sorted((r for r in removals if r.start < r.end), key=lambda r: (r.start, RANK[r.reason], -r.end))
    if all(a.end <= b.start for a, b in pairwise(ordered)):
        return ordered
    edges = sorted([(r.start, 1, RANK[r.reason]) for r in ordered] + [(r.end, -1, RANK[r.reason]) for r in ordered])
    active = [0] * len(REASONS)
    flat: list[Removal] = []
    before = 0
    for position, change, rank in edges:
        if position > before:
            holding = next((index for index, count in enumerate(active) if count), None)
            if holding is not None:
                reason = REASONS[holding]
                if flat and flat[-1].end == before and flat[-1].reason == reason:
                    flat[-1] = Removal(flat[-1].start, position, reason)
                else:
                    flat.append(Removal(before, position, reason))
            before = position
        active[rank] += change
    return flat


def _code_ranges(blocks: Iterable[Block]) -> Iterator[tuple[int, int]]:
    """Yield the ranges whose white space is left alone: code and `$$` blocks."""
    for block in walk(blocks):
        if block.kind in (Kind.FENCE, Kind.CODE, Kind.MATH):
            yield block.start, block.end


class _Line(NamedTuple):
    """A line as removals leave it: a removal that reaches over a line end joins the lines.

    `kept` are the ranges that stay, without the line end; `rank` is the first-ranking reason on it,
    `len(REASONS)` where nothing is removed; `ends_kept` says that its line end stays.
    """

    start: int
    end: int
    kept: list[tuple[int, int]]
    rank: int
    ends_kept: bool


def _touched_lines(text: str, start: int, flat: list[Removal]) -> Iterator[_Line]:
    """Yield the lines of `text` from `start`, a line's start, that removals touch; `end` includes the line end."""
    index = 0
    position = start
    while position < len(text):
        while index < len(flat) and flat[index].end <= position:
            index += 1
        if index == len(flat):
            return
        if flat[index].start > position:
            position = text.rfind("\n", position, flat[index].start) + 1 or position
        line = _line_at(text, position, flat, index)
        yield line
        position = line.end


def _line_at(text: str, start: int, flat: list[Removal], index: int) -> _Line:
    """Return the line that begins at `start`; `flat[index]` is the first removal that may touch it."""
    kept: list[tuple[int, int]] = []
    rank = len(REASONS)
    at = start
    while True:
        newline = text.find("\n", at)
        line_end = len(text) if newline < 0 else newline
        while index < len(flat) and flat[index].start < line_end and at <= line_end:
            removal = flat[index]
            if removal.start > at:
                kept.append((at, removal.start))
            at = max(at, removal.end)
            rank = min(rank, RANK[removal.reason])
            index += 1
        if at < line_end:
            kept.append((at, line_end))
            at = line_end
        if at == line_end and index < len(flat) and flat[index].start == line_end < len(text):
            rank = min(rank, RANK[flat[index].reason])
            at = flat[index].end
            index += 1
        if at == line_end:
            return _Line(start, min(len(text), line_end + 1), kept, rank, newline >= 0)
        if at >= len(text) or text[at - 1] == "\n":
            return _Line(start, at, kept, rank, False)


def _emptied_lines(text: str, start: int, flat: list[Removal], tree: BlockTree) -> Iterator[Removal]:
    """Yield whole lines of which removals left nothing but list or quote marks.

    A run of them that parts two blocks which have no blank line beside it keeps its last line end.
    """
    owners: dict[int, int] | None = None
    run: list[_Line] = []
    for line in _touched_lines(text, start, flat):
        if not _MARKS_ONLY.match("".join(text[a:b] for a, b in line.kept)):
            continue
        if owners is None:
            owners = _owners(tree)
        if run and run[-1].end != line.start:
            yield from _emptied_run(text, start, run, owners)
            run = []
        run.append(line)
    if run and owners is not None:
        yield from _emptied_run(text, start, run, owners)


def _emptied_run(text: str, body: int, run: list[_Line], owners: dict[int, int]) -> Iterator[Removal]:
    start, end = run[0].start, run[-1].end
    above = text.rfind("\n", body, start - 1) + 1 or body
    below_end = text.find("\n", end)
    below = text[end : below_end if below_end >= 0 else len(text)]
    parts = (
        start > body
        and bool(text[above : start - 1].strip(" \t>"))
        and bool(below.strip(" \t>"))
        and owners.get(above, -1) != owners.get(end, -2)
    )
    for line in run:
        stays = parts and line is run[-1] and line.ends_kept
        yield Removal(line.start, line.end - stays, REASONS[line.rank])


def _owners(tree: BlockTree) -> dict[int, int]:
    """Map the start of each line to the number of the innermost block that it belongs to."""
    owners: dict[int, int] = {}
    for number, block in enumerate(walk(tree.blocks)):
        if block.kind is Kind.ROW or (block.children and block.kind is not Kind.TABLE):
            continue
        for line in range(block.first_line, block.last_line + 1):
            owners[tree.line_starts[line]] = number
    return owners


def _white_space(text: str, start: int, flat: list[Removal], code: list[tuple[int, int]]) -> Iterator[Removal]:
    """Yield line-end blanks, blanks at a line's start left by a removal, and blank lines past one."""
    blank_run = 0
    code_index = removal_index = 0
    position = start
    code_start, code_end = code[0] if code else (len(text), len(text))
    touched = flat[0].start if flat else len(text) + 1
    for line in text[start:].split("\n"):
        line_start, line_end = position, position + len(line)
        if line_start < start:  # part of a line that removals joined
            position = line_end + 1
            continue
        position = line_end + 1
        while code_end <= line_start and code_index + 1 < len(code):
            code_index += 1
            code_start, code_end = code[code_index]
        in_code = code_start <= line_start < code_end
        if touched > line_end:
            if in_code or (line and line[-1] not in _BLANKS):
                blank_run = 0
            else:
                bare = len(line.rstrip(_BLANKS))
                blank_run = 0 if bare else blank_run + 1
                is_spare = blank_run > 1 and line_end < len(text)
                if bare < len(line) or is_spare:
                    yield Removal(line_start + bare, line_end + is_spare, "whitespace")
            continue
        joined = _line_at(text, line_start, flat, removal_index)
        start = joined.end
        while removal_index < len(flat) and flat[removal_index].end <= joined.end:
            removal_index += 1
        touched = flat[removal_index].start if removal_index < len(flat) else len(text) + 1
        if in_code:
            blank_run = 0 if joined.kept or joined.ends_kept else blank_run
            continue
        is_blank = yield from _touched_blanks(text, joined)
        if not is_blank:
            blank_run = 0
        elif joined.ends_kept:
            blank_run += 1


def _touched_blanks(text: str, line: _Line) -> Generator[Removal, None, bool]:
    """Yield the blanks at the edges of a line that removals touch; return whether nothing else is left."""
    for a, b in reversed(line.kept):
        bare = a + len(text[a:b].rstrip(_BLANKS))
        if bare < b:
            yield Removal(bare, b, "whitespace")
        if bare > a:
            if line.kept[0][0] > line.start or len(line.kept) > 1:
                yield from _leading_blanks(text, line)
            return False
    return True


def _leading_blanks(text: str, line: _Line) -> Iterator[Removal]:
    """Yield the blanks before a line's first visible character that follow a removal; there is one."""
    found = [_NOT_BLANK.search(text, a, b) for a, b in line.kept]
    visible = next(index for index, match in enumerate(found) if match)
    for (a, b), match in zip(line.kept[: visible + 1], found, strict=False):
        end = match.start() if match else b
        if match and end > a and JOINS_BEFORE.match(text, end):
            end -= 1  # a blank that carries a mark
        if a > line.start and end > a:
            yield Removal(a, end, "whitespace")


def _insertions(
    text: str, flat: list[Removal], breaking: set[int], outline: list[Block], title: Block | None
) -> Iterator[Insertion]:
    """Yield the blank between words that a removed tag would join, and the blank line after a heading."""
    found: list[Insertion] = []
    if breaking:
        found.extend(_joined_words(text, flat, breaking))
    starts = [removal.start for removal in flat]
    for heading in outline:
        if heading is title or _next_kept(flat, starts, heading.start) >= heading.end:
            continue
        after = _next_kept(flat, starts, heading.end + 1)
        if after < len(text) and text[after] != "\n":
            found.append(Insertion(after, "\n", "blank line"))
    found.sort(key=lambda insertion: insertion.position)
    yield from found


def _next_kept(flat: list[Removal], starts: list[int], position: int) -> int:
    """Return the first position at or after `position` that no removal covers."""
    index = max(0, bisect_right(starts, position) - 1)
    while index < len(flat) and flat[index].start <= position:
        position = max(position, flat[index].end)
        index += 1
    return position


def _joined_words(text: str, flat: list[Removal], breaking: set[int]) -> Iterator[Insertion]:
    marks = sorted(breaking)
    index = 0
    while index < len(flat):
        start, end = flat[index].start, flat[index].end
        first = index
        while index + 1 < len(flat) and flat[index + 1].start == end:
            index += 1
            end = flat[index].end
        index += 1
        if not any(_holds(marks, r) for r in flat[first:index] if r.reason == "html tag"):
            continue
        if start > 0 and end < len(text) and not text[start - 1].isspace() and not text[end].isspace():
            yield Insertion(end, " ", "blank")


def _holds(marks: list[int], removal: Removal) -> bool:
    index = bisect_left(marks, removal.start)
    return index < len(marks) and marks[index] < removal.end
