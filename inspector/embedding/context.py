"""The one function that makes the embedding input: exactly the string the model is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Context = Literal["none", "title", "title+trail"]
CONTEXTS: tuple[Context, ...] = get_args(Context)

TRAIL_SEPARATOR = " > "
CONTEXT_END = "\n\n"  # a blank line stands between the context and the chunk's text


@dataclass(frozen=True, slots=True)
class EmbeddingInput:
    """The string the model is given; its first `prefix_length` code points are not the chunk's own text."""

    text: str
    prefix_length: int


def embedding_input(
    text: str, title: str, trail: Sequence[str], context: Context = "title", *, prefix: str = ""
) -> EmbeddingInput:
    """Put the chosen context, and what the model itself asks for (`prefix`), before a chunk's text.

    The title is left out where it equals the chunk's first line; an unknown context is a ValueError.
    """
    if context not in CONTEXTS:
        raise ValueError(f"context must be one of {', '.join(CONTEXTS)}, not {context!r}")
    lines: list[str] = []
    first_line = text.partition("\n")[0].strip()
    if context != "none" and title.strip() and title.strip() != first_line:
        lines.append(title.strip())
    if context == "title+trail" and trail:
        lines.append(TRAIL_SEPARATOR.join(trail))
    head = prefix + ("\n".join(lines) + CONTEXT_END if lines else "")
    return EmbeddingInput(head + text, len(head))
