"""Site dialects: the syntax of site generators that is no CommonMark; one small module each, in this table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inspector.core.dialects import (
    alerts,
    attributes,
    containers,
    hugo,
    kramdown,
    kumascript,
    liquid,
    mdx,
    mkdocs,
    obsidian,
)
from inspector.core.dialects.dialect import Dialect

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        module.DIALECT.name: module.DIALECT
        for module in (
            hugo, liquid, kumascript, mdx, mkdocs, containers, kramdown, attributes, alerts, obsidian,
        )
    }
)  # fmt: skip
"""By name, in the order in which they read a text: templates first, as a site runs them before markdown."""

__all__ = ["DIALECTS", "Dialect"]
