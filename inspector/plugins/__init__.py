"""Strategies of other programs: adapters for known ones that are installed, and those of the entry-point group.

An entry point of the group `inspector.strategies` names an object with `label` and `help` (texts), `options` (a frozen
dataclass that inherits `External`, its fields described as those of this program) and `split(text, options)`, which
returns the texts of the chunks in order. It is imported where strategies are listed; `split` runs in a process of its
own.
"""

from inspector.plugins.known import GROUP, all_strategies, broken_plugins

__all__ = ["GROUP", "all_strategies", "broken_plugins"]
