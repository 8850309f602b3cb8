"""From which posts answers come: of one document, one tag, one year."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from inspector.ui.controls import plain_tooltip, set_state
from inspector.ui.map_data import short_name
from inspector.ui.theme import Theme

MOST = 40
"""Names that a menu lists."""
LONGEST = 18


@dataclass(frozen=True, slots=True)
class AnswerFilter:
    """What a document must be for its chunks to answer; "" is anything."""

    document: str = ""
    tag: str = ""
    year: str = ""

    def allows(self, document: str, tags: Sequence[str], date: str) -> bool:
        """Whether a document's chunks may answer."""
        return (
            self.document in ("", document)
            and (not self.tag or self.tag in tags)
            and (not self.year or date.startswith(self.year))
        )

    @property
    def words(self) -> str:
        """The filter in words, "" for none."""
        return ", ".join(word for word in (short_name(self.document), self.tag, self.year) if word)


@dataclass(frozen=True, slots=True)
class Choices:
    """What answers can be filtered by, the most frequent first."""

    documents: Sequence[str] = ()
    tags: Sequence[str] = ()
    years: Sequence[str] = ()


class FilterButton(QPushButton):
    """Opens the choice; what is chosen is told by `chosen` (AnswerFilter)."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.value = AnswerFilter()
        self._choices: Callable[[], Choices] = Choices
        self._open_document = ""
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        self.setIconSize(QSize(14, 14))
        self.setProperty("snug", True)
        theme.changed.connect(self._show)
        self._show()

    def offer(self, choices: Callable[[], Choices]) -> None:
        """Offer what this gives when the choice is opened."""
        self._choices = choices

    def set_open_document(self, name: str) -> None:
        """Offer the post that is open by itself."""
        self._open_document = name

    def choose(self, value: AnswerFilter) -> None:
        """Filter by something else."""
        if value != self.value:
            self.value = value
            self._show()
            self.chosen.emit(value)

    def _show(self) -> None:
        words = self.value.words
        self.setText(words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…")
        if not words:
            self.setText("Filter")
        said = f"Answers only from {words}" if words else "Answers from all posts; filter by post, tag or year"
        self.setToolTip(plain_tooltip(said))
        self.setAccessibleName(said)
        self.setIcon(self._theme.icon("list-filter", "accent" if words else "text"))
        set_state(self, "on", bool(words))

    def _fill(self) -> None:
        menu = self._menu
        menu.clear()
        if self._open_document:
            words = f"Only {short_name(self._open_document)}"
            self._add(menu, words, "document", self._open_document)
            menu.addSeparator()
        choices = self._choices()
        for field, words, names in (
            ("document", "Post", choices.documents),
            ("tag", "Tag", choices.tags),
            ("year", "Year", choices.years),
        ):
            if names:
                part = menu.addMenu(words)
                for name in names[:MOST]:
                    self._add(part, name, field, name)
        menu.addSeparator()
        every = menu.addAction("All posts")
        every.setEnabled(self.value != AnswerFilter())
        every.triggered.connect(lambda: self.choose(AnswerFilter()))

    def _add(self, menu: QMenu, words: str, field: str, name: str) -> None:
        action = QAction(words.replace("&", "&&"), menu, checkable=True)
        is_chosen = getattr(self.value, field) == name
        action.setChecked(is_chosen)
        wanted = replace(self.value, **{field: "" if is_chosen else name})
        action.triggered.connect(lambda _checked, w=wanted: self.choose(w))
        menu.addAction(action)
