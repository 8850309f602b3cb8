"""Telling in which dialects a folder is written: by its config files, and by what its texts hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from inspector.core.dialects import DIALECTS

SHARE = 20
"""A dialect is used when its mark is in one of so many texts, and in at least one."""

CONFIGS = frozenset(name for dialect in DIALECTS.values() for group in dialect.configs for name in group)
"""The names that tell; `name/` is a folder, `package.json:NAME` a dependency, `*.mdx` any such file."""

_SCRIPT = re.compile(r"<script\b.*?(?:</script>|\Z)", re.DOTALL)
_CODE_SPAN = re.compile(r"(`+)[^`\n]+\1")


def detect_dialects(configs: Collection[str], texts: Sequence[str]) -> frozenset[str]:
    """Return the dialects of a folder from the names of its config files and some of its texts.

    A config file is enough. Without one, a dialect's mark must stand outside code in one of 20 texts, and in
    at least one; of a single text that is the text itself.
    """
    names = set(configs)
    prose = [_without_code(text) for text in texts]
    least = max(1, -(-len(prose) // SHARE))
    found = set()
    for dialect in DIALECTS.values():
        is_configured = any(group <= names for group in dialect.configs)
        if is_configured or sum(dialect.mark.search(text) is not None for text in prose) >= least:
            found.add(dialect.name)
    return frozenset(found)


def _without_code(text: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CODE_SPAN.sub("", _SCRIPT.sub("", _without_fences(plain)))


def _without_fences(text: str) -> str:
    """Leave out fences, by their lines alone: this is a guess about a folder, no parse."""
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        bare = line.lstrip(" \t>")
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0] + " \t"):
                fence = ""
            continue
        if bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            continue
        kept.append(line)
    return "\n".join(kept)
