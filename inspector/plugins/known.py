"""Which strategies there are here: the core's, adapters whose program is installed, and plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Any

from inspector.core.strategies.choices import External
from inspector.core.strategies.registry import STRATEGIES, Strategy
from inspector.plugins.peers import PEERS

GROUP = "inspector.strategies"
"""The entry-point group of plug-ins."""

Split = Callable[[str, Any], Sequence[str]]


@dataclass(frozen=True)
class Found:
    """All strategies by name, what splits for those of other programs, and why a plug-in is not among them."""

    strategies: Mapping[str, Strategy]
    splits: Mapping[str, Split]
    broken: tuple[str, ...]


@cache
def find_strategies() -> Found:
    """Find what is installed; once a process."""
    strategies = dict(STRATEGIES)
    splits: dict[str, Split] = {}
    broken: list[str] = []
    for peer in PEERS:
        version = _version(peer.distribution)
        if version is not None:
            strategies[peer.name] = Strategy(
                peer.name, f"{peer.distribution} {version}", peer.help, peer.options, frozenset({"split"})
            )
            splits[peer.name] = peer.split
    for entry in metadata.entry_points(group=GROUP):
        if entry.name in strategies:
            broken.append(f"The plug-in {entry.name} has the name of another strategy: it is left out.")
            continue
        try:
            strategies[entry.name], splits[entry.name] = _read(entry)
        except Exception as error:  # whatever a plug-in does when it is imported: a message, not the program's end
            broken.append(f"The plug-in {entry.name} cannot be used: {type(error).__name__}: {error}.")
    return Found(MappingProxyType(strategies), MappingProxyType(splits), tuple(broken))


def all_strategies() -> Mapping[str, Strategy]:
    """Return every strategy that is installed here, by name."""
    return find_strategies().strategies


def broken_plugins() -> tuple[str, ...]:
    """Return what there is to say of plug-ins that cannot be used."""
    return find_strategies().broken


def _read(entry: metadata.EntryPoint) -> tuple[Strategy, Split]:
    plugin = entry.load()
    options: Any = plugin.options
    if not (isinstance(options, type) and issubclass(options, External)):
        raise TypeError("its options do not inherit External")
    if options().strategy != entry.name:
        raise ValueError(f"its options are of {options().strategy!r}")
    version = entry.dist.version if entry.dist is not None else ""
    label = f"{plugin.label} {version}".strip()
    return Strategy(entry.name, label, str(plugin.help), options, frozenset({"split"})), plugin.split


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
