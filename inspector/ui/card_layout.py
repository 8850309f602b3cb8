"""How a card's text is laid out: paragraphs with their styles, pills after some, a rule where reading stops."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QTextCharFormat, QTextLayout, QTextOption

from inspector.ui.card import Card, RangeKind
from inspector.ui.offsets import OffsetMap
from inspector.ui.pill import paint_pill, pill_width
from inspector.ui.theme import Theme, ui_font

LINE_HEIGHT = 18.0
PARAGRAPH_GAP = 4.0
RULE_HEIGHT = 20.0
EXPLAIN_GAP = 14.0
CLAMPED_LINES = 3
PILLS = {RangeKind.CONTEXT: "title", RangeKind.REPEATED: "repeated", RangeKind.FOLDED: "folded"}
LONGEST_SHOWN = 20_000
"""Code points of a card that are laid out; a larger chunk ends in an ellipsis."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text as laid out; `rule` is the words of the truncation rule above it, a hairline parts it."""

    layout: QTextLayout
    top: float
    height: float
    pill: str
    rule: str
    has_hairline: bool = False


@dataclass(frozen=True, slots=True)
class CardBody:
    """All paragraphs of a card for one width."""

    paragraphs: tuple[Paragraph, ...]
    height: float


def lay_out_clamped(card: Card, width: float) -> CardBody:
    """Lay out the first three lines of the chunk's own words."""
    words = " ".join(card.text[card.body_start : card.body_start + 600].split())
    layout = _layout(OffsetMap(words).text, [], width, CLAMPED_LINES)
    return CardBody((Paragraph(layout, 0.0, LINE_HEIGHT * CLAMPED_LINES, "", ""),), LINE_HEIGHT * CLAMPED_LINES)


def lay_out_whole(card: Card, width: float, theme: Theme, explanation: str = "") -> CardBody:
    """Lay out the whole embedding input, in order, and below it how the chunk was made."""
    paragraphs: list[Paragraph] = []
    top = 0.0
    named: set[str] = set()
    for start, end in _paragraphs(card):
        text = card.text[start:end]
        if not text.strip():
            top += PARAGRAPH_GAP
            continue
        offsets = OffsetMap(text)
        here = [found for found in card.ranges if found.start < end and found.end > start]
        formats = _formats(card, start, end, offsets, theme)
        unread = card.range_of(RangeKind.UNREAD)
        rule = ""
        if unread is not None and unread.start == start:
            rule = f"unread from here · {card.unread_tokens:,} tokens"
            top += RULE_HEIGHT
        layout = _layout(offsets.text, formats, width, None)
        height = layout.lineCount() * LINE_HEIGHT
        pill = ""
        for found in here:
            words = found.why or PILLS.get(found.kind, "")
            if words and words not in named:
                named.add(words)
                pill = words
        if pill and _end(layout) + 8 + pill_width(pill) > width:
            height += LINE_HEIGHT
        paragraphs.append(Paragraph(layout, top, height, pill, rule))
        top += height
    if explanation:
        top += EXPLAIN_GAP
        layout = _layout(explanation, [_dim(explanation, theme)], width, None)
        height = layout.lineCount() * LINE_HEIGHT
        paragraphs.append(Paragraph(layout, top, height, "", "", has_hairline=True))
        top += height
    return CardBody(tuple(paragraphs), top)


def _dim(text: str, theme: Theme) -> QTextLayout.FormatRange:
    style = QTextCharFormat()
    style.setForeground(theme.color("dim"))
    item = QTextLayout.FormatRange()
    item.start, item.length, item.format = 0, len(OffsetMap(text).text), style
    return item


def paint_body(painter: QPainter, body: CardBody, origin: QPointF, width: float, theme: Theme, clip: QRectF) -> None:
    """Paint what of a body is inside `clip`."""
    for paragraph in body.paragraphs:
        top = origin.y() + paragraph.top
        if top > clip.bottom() or top + paragraph.height < clip.top() - RULE_HEIGHT:
            continue
        if paragraph.rule:
            _paint_rule(painter, paragraph.rule, QPointF(origin.x(), top - RULE_HEIGHT), width, theme)
        if paragraph.has_hairline:
            y = round(top - EXPLAIN_GAP / 2) + 0.5
            painter.setPen(QPen(theme.color("hairline"), 1))
            painter.drawLine(QPointF(origin.x(), y), QPointF(origin.x() + width, y))
        painter.setPen(theme.color("text"))
        paragraph.layout.draw(painter, QPointF(origin.x(), top))
        if paragraph.pill:
            left, line = _end(paragraph.layout) + 8, paragraph.layout.lineCount() - 1
            if left + pill_width(paragraph.pill) > width:
                left, line = 0.0, line + 1
            middle = top + line * LINE_HEIGHT + LINE_HEIGHT / 2
            color = theme.color("dim")
            paint_pill(painter, origin.x() + left, middle, paragraph.pill, color, None, color)


def _paint_rule(painter: QPainter, words: str, origin: QPointF, width: float, theme: Theme) -> None:
    color = theme.color("truncation")
    painter.setPen(QPen(color, 2))
    painter.drawLine(QPointF(origin.x(), origin.y() + 3), QPointF(origin.x() + width, origin.y() + 3))
    painter.setFont(ui_font())
    painter.setPen(color)
    painter.drawText(QPointF(origin.x(), origin.y() + 17), words)


def _ranges(card: Card) -> list[tuple[int, int, RangeKind]]:
    return [(found.start, found.end, found.kind) for found in card.ranges]


def _paragraphs(card: Card) -> list[tuple[int, int]]:
    """Return the lines of a card's text; reading stops between two of them."""
    found: list[tuple[int, int]] = []
    start = 0
    shown = card.text[:LONGEST_SHOWN]
    for line in shown.split("\n"):
        found.append((start, start + len(line)))
        start += len(line) + 1
    unread = card.range_of(RangeKind.UNREAD)
    if unread is None:
        return found
    parted: list[tuple[int, int]] = []
    for first, last in found:
        parted += [(first, unread.start), (unread.start, last)] if first < unread.start < last else [(first, last)]
    return parted


def _formats(card: Card, start: int, end: int, offsets: OffsetMap, theme: Theme) -> list[QTextLayout.FormatRange]:
    ranges = [(max(a, start), min(b, end), kind) for a, b, kind in _ranges(card) if a < end and b > start]
    edges = sorted({edge for a, b, _ in ranges for edge in (a, b)})
    formats = []
    for first, last in pairwise(edges):
        kinds = {kind for a, b, kind in ranges if a <= first and last <= b}
        if not kinds:
            continue
        style = QTextCharFormat()
        if kinds & {RangeKind.CONTEXT, RangeKind.UNREAD}:
            style.setForeground(theme.color("dim"))
        if kinds & {RangeKind.REPEATED, RangeKind.HEADING}:
            style.setFontWeight(QFont.Weight.DemiBold)
        item = QTextLayout.FormatRange()
        item.start = offsets.position(first - start)
        item.length = offsets.position(last - start) - item.start
        item.format = style
        formats.append(item)
    return formats


def _layout(text: str, formats: list[QTextLayout.FormatRange], width: float, most: int | None) -> QTextLayout:
    """Lay text out in lines; with `most`, the last one ends in an ellipsis."""
    layout = QTextLayout(text, ui_font())
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setFormats(formats)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    number = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * LINE_HEIGHT + (LINE_HEIGHT - line.height()) / 2))
        number += 1
        if number == most and line.textStart() + line.textLength() < len(text):
            layout.endLayout()
            start = line.textStart()
            last = QFontMetricsF(ui_font()).elidedText(text[start:], Qt.TextElideMode.ElideRight, width - 1)
            return _layout(text[:start] + last, formats, width, None)
    layout.endLayout()
    return layout


def _end(layout: QTextLayout) -> float:
    count = layout.lineCount()
    return layout.lineAt(count - 1).naturalTextRect().right() if count else 0.0
