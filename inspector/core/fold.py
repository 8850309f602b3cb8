"""Which sections are dropped, which join the one before, which stand: steps 6 and 7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.core.chunk import Fate
from inspector.core.options import Options
from inspector.core.section import Section

SEPARATOR = "\n\n"
"""What stands between two sections of a group."""


@dataclass(slots=True)
class Group:
    """A kept section and those folded into it, in order; `packer`, `setting` and `made` are the packing's own."""

    members: list[Section]
    packer: Any = None
    setting: tuple[object, ...] = ()
    made: list[Any] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)

    @property
    def offsets(self) -> list[int]:
        """Where each section begins in the group's text."""
        if not self._offsets:
            at = 0
            for section in self.members:
                self._offsets.append(at)
                at += section.length + len(SEPARATOR)
        return self._offsets

    @property
    def length(self) -> int:
        """Code points of the group's text: its sections with a blank line between each two."""
        return self.offsets[-1] + self.members[-1].length


def fold_sections(sections: Sequence[Section], options: Options) -> tuple[list[Group], list[Fate]]:
    """Return the groups that stay and the fate of each section, in order."""
    groups: list[Group] = []
    fates: list[Fate] = []
    for section in sections:
        is_stub = section.length < options.drop
        if section.is_empty or (is_stub and options.stubs == "drop"):
            fates.append(Fate.DROPPED)
            continue
        if section.length < options.fold and groups and _may_join(groups[-1].members[0], section, options):
            groups[-1].members.append(section)
            fates.append(Fate.FOLDED)
        elif is_stub:
            fates.append(Fate.DROPPED)
        else:
            groups.append(Group([section]))
            fates.append(Fate.KEPT)
    return groups, fates


def _may_join(host: Section, section: Section, options: Options) -> bool:
    """Whether a section may fold into `host`: any, or only a sibling or an ancestor of it."""
    if options.fold_into == "previous":
        return True
    if host.heading is None:
        return not host.trail
    depth = len(host.trail)
    is_ancestor = section.trail[:depth] == host.trail
    same_level = section.heading is not None and section.heading.level == host.heading.level
    return is_ancestor or (same_level and section.trail[:-1] == host.trail[:-1])
