"""HTML inside markdown: which names are elements, and where tags and comments stand in a run of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ELEMENTS = frozenset(
    """a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink
    blockquote body br button canvas caption center cite code col colgroup command content data datalist dd
    del details dfn dialog dir div dl dt element em embed fieldset figcaption figure font footer form frame
    frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen
    label legend li link listing main map mark marquee math menu menuitem meta meter multicol nav nextid nobr
    noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb rp
    rt rtc ruby s samp script search section select shadow slot small source spacer span strike strong style
    sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video
    wbr xmp""".split()
)
"""The HTML standard's index of elements, obsolete ones included."""

BREAKING = frozenset(
    """address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol
    optgroup option p pre search section select summary table tbody td textarea tfoot th thead title tr
    ul""".split()
)
"""Elements whose tags part words: line breaks, cells, list and block elements."""

WHOLE = frozenset({"script", "style"})
RAW = frozenset({"pre", "textarea"})

_TAG = re.compile(
    r"""</?(?P<name>[A-Za-z][A-Za-z0-9-]*+)(?=[\s/>])(?:"[^"]*+"|'[^']*+'|[^'"<>])*+>""",
)
_OPENER = re.compile(r"<(?=[A-Za-z/!])")


class HtmlMark(NamedTuple):
    """A run of HTML: `kind` is `comment`, `image`, `tag` or `whole`; `name` in lower case."""

    kind: str
    start: int
    end: int
    name: str


def element_name(written: str) -> str | None:
    """Return the element a tag's name stands for, None when it is none: `Vec<T>` and `<Math>` are text."""
    if written not in (written.lower(), written.upper()):
        return None
    name = written.lower()
    return name if name in ELEMENTS else None


def tag_mark(text: str, start: int, end: int) -> HtmlMark | None:
    """Return what one inline tag or comment, `text[start:end]`, is; None when it is text to keep."""
    if text.startswith("<!--", start):
        return HtmlMark("comment", start, end, "")
    match = _TAG.match(text, start, end)
    name = element_name(match["name"]) if match else None
    if name is None:
        return None
    return HtmlMark("image" if name == "img" else "tag", start, end, name)


def scan_html(text: str, start: int, end: int) -> Iterator[HtmlMark]:
    """Yield the tags and comments in a block of HTML, in order; nothing inside raw elements but their end."""
    position = start
    comments = True
    unclosed: set[str] = set()
    while True:
        opener = _OPENER.search(text, position, end)
        if opener is None:
            return
        at = opener.start()
        position = at + 1
        if text.startswith("<!--", at):
            close = text.find("-->", at + 2, end) if comments else -1
            if close < 0:
                comments = False
                continue
            position = max(close + 3, at + 5)
            yield HtmlMark("comment", at, position, "")
            continue
        match = _TAG.match(text, at, end)
        name = element_name(match["name"]) if match else None
        if match is None or name is None:
            continue
        position = match.end()
        if name in WHOLE and text[at + 1] != "/":
            close_tag = None if name in unclosed else _closing(name, text, position, end)
            if close_tag is None:
                unclosed.add(name)
            else:
                position = close_tag.end()
            yield HtmlMark("whole", at, position, name)
            continue
        yield HtmlMark("image" if name == "img" else "tag", at, position, name)
        if name in RAW and text[at + 1] != "/":
            close_tag = _closing(name, text, position, end)
            position = close_tag.start() if close_tag else end


def has_unclosed_comment(text: str, start: int, end: int) -> int | None:
    """Return where a comment opens in a block of HTML that never closes, None when all do."""
    position = start
    while True:
        at = text.find("<!--", position, end)
        if at < 0:
            return None
        close = text.find("-->", at + 2, end)
        if close < 0:
            return at
        position = close + 3


def _closing(name: str, text: str, start: int, end: int) -> re.Match[str] | None:
    return re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, start, end)
