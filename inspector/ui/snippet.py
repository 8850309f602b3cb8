"""The two lines of an answer: the part of a text with most of a question's words, and where these stand; no Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = re.compile(r"\w+(?:['’]\w+)?")
SNIPPET = 180
SHORTEST_STEM = 4
# Words that every text has; a match on them says nothing.
# fmt: off
COMMON = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did", "do", "does", "for",
    "from", "had", "has", "have", "how", "i", "if", "in", "is", "it", "its", "long", "me", "my", "no",
    "not", "of", "on", "or", "so", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with",
    "you", "your",
))
# fmt: on


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text on one line, with the ranges of it that match the question."""

    text: str
    matches: tuple[tuple[int, int], ...]


def make_snippet(text: str, question: str, length: int = SNIPPET) -> Snippet:
    """Cut out the part of `text` that holds most words of `question`."""
    flat = " ".join(text.split())
    wanted = [word.lower() for word in WORD.findall(question) if word.lower() not in COMMON and len(word) > 1]
    found = [match.span() for match in WORD.finditer(flat) if _is_wanted(match.group().lower(), wanted)]
    start = _best_start(flat, found, length)
    end = min(len(flat), start + length)
    if end < len(flat):
        space = flat.rfind(" ", start, end)
        end = space if space > start else end
    head, tail = "… " if start else "", " …" if end < len(flat) else ""
    shift = len(head) - start
    inside = tuple((a + shift, b + shift) for a, b in found if start <= a and b <= end)
    return Snippet(f"{head}{flat[start:end]}{tail}", inside)


def _is_wanted(word: str, wanted: list[str]) -> bool:
    return any(_are_alike(word, other) for other in wanted)


def _are_alike(first: str, second: str) -> bool:
    """Say whether two words have one stem: the shorter, less a plural s, begins the longer."""
    shorter, longer = sorted((first, second), key=len)
    if shorter == longer:
        return True
    stem = shorter[:-1] if shorter.endswith("s") else shorter
    if longer == stem + "s":
        return True
    return len(stem) >= SHORTEST_STEM and longer.startswith(stem) and len(longer) - len(stem) <= 3


def _best_start(flat: str, found: list[tuple[int, int]], length: int) -> int:
    if not found or len(flat) <= length:
        return 0
    best, most = 0, 0
    for first, _ in found:
        count = sum(first <= a and b <= first + length - 20 for a, b in found)
        if count > most:
            best, most = first, count
    if best < length // 2:
        return 0
    sentence = max(flat.rfind(mark, max(0, best - 80), best) for mark in (". ", "? ", "! "))
    if sentence >= 0:
        return sentence + 2
    space = flat.rfind(" ", 0, max(0, best - 30))
    return space + 1
