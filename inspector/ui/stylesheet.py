"""The style sheet of the window, a template: every `$name` is a colour or an icon of the theme."""

from __future__ import annotations

STYLESHEET = """
* { font-size: $ui_pixels; }
QMainWindow, QDialog, QWidget#page { background: $page; color: $text; }
QMainWindow::separator { background: $hairline; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $hairline; }
QLabel { color: $text; background: transparent; }
QLabel[dim="true"] { color: $dim; }
QLabel[strong="true"] { font-weight: 600; }
QLabel[big="true"] { font-size: 22px; font-weight: 600; }
QLabel[mark="truncation"] { color: $truncation; font-weight: 600; }
QLabel[mark="fault"] { color: $fault; }
QFrame[rule="true"] { background: $hairline; border: none; max-height: 1px; min-height: 1px; }

QPushButton, QToolButton {
  background: $page; color: $text; border: 1px solid $hairline; border-radius: 6px; padding: 4px 11px; min-height: 18px;
}
QPushButton:hover, QToolButton:hover { background: $hover; border-color: $track; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: $accent_fill; }
QPushButton:focus, QToolButton:focus { border-color: $accent; }
QPushButton:disabled, QToolButton:disabled { color: $edge; }
QPushButton:default { border-color: $accent; color: $accent; }
QPushButton[flat="true"], QToolButton[quiet="true"] { border-color: transparent; }
QPushButton::menu-indicator { image: url("$chevron_down"); width: 12px; height: 12px;
  subcontrol-origin: padding; subcontrol-position: center right; right: 6px; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton[quiet="true"] { padding: 3px; }
QLineEdit QToolButton { border: none; background: transparent; padding: 0; min-height: 0; }
QLineEdit QToolButton:hover { background: $accent_fill; }
QPushButton[segment="first"] { border-top-right-radius: 0; border-bottom-right-radius: 0; }
QPushButton[segment="last"] { border-top-left-radius: 0; border-bottom-left-radius: 0; border-left: none; }
QPushButton[segment="middle"] { border-radius: 0; border-left: none; }
QPushButton[segment]:checked { background: $accent_fill; font-weight: 600; }
QPushButton[small="true"] { padding: 2px 8px; min-height: 16px; font-size: 12px; }
QPushButton[snug="true"] { padding: 4px 7px; }
QPushButton[snug="true"]::menu-indicator { image: none; width: 0; }
QPushButton[snug="true"]:checked { background: $accent_fill; border-color: $accent; }
QComboBox[snug="true"] { padding: 4px 2px 4px 8px; }
QLabel[small="true"] { font-size: 12px; }
QPushButton[on="true"] { background: $accent_fill; border-color: $accent; }
QPushButton[chip="true"] { border-radius: 8px; padding: 0 7px; min-height: 16px; font-size: 11px; }
QPushButton[chip="true"][mark="error"] { color: $fault; border-color: $fault; }
QPushButton[chip="true"][mark="warning"] { color: $cut; border-color: $cut; }
QPushButton[chip="true"][mark="note"] { color: $dim; border-color: $edge; }
QPushButton[chip="true"]:checked { background: $accent_fill; }
QPushButton[chip="true"]:disabled { color: $dim; border-color: $hairline; background: transparent; }
QPushButton[chip="true"]::menu-indicator { width: 0; }

QComboBox { background: $page; color: $text; border: 1px solid $hairline; border-radius: 6px;
  padding: 4px 24px 4px 10px;  min-height: 18px; }
QComboBox:hover { background: $hover; border-color: $track; }
QComboBox:disabled { color: $edge; }
QComboBox:focus, QComboBox:on { border-color: $accent; }
QComboBox::drop-down { border: none; width: 22px; subcontrol-origin: padding; subcontrol-position: center right; }
QComboBox::down-arrow { image: url("$chevron_down"); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $page; color: $text; border: 1px solid $hairline; outline: none; padding: 4px;
  selection-background-color: $accent_fill; selection-color: $text; }
QComboBox QAbstractItemView::item { min-height: 24px; padding: 0 6px; border-radius: 4px; }

QLineEdit, QSpinBox, QAbstractSpinBox {
  background: $page; color: $text; border: 1px solid $hairline; border-radius: 6px; padding: 4px 8px; min-height: 18px;
  selection-background-color: $accent; selection-color: $on_mark; placeholder-text-color: $dim;
}
QLineEdit:hover, QSpinBox:hover { border-color: $track; }
QLineEdit:focus, QSpinBox:focus { border-color: $accent; }
QLineEdit[wrong="true"], QSpinBox[wrong="true"] { border: 1px solid $fault; color: $fault; }
QSpinBox { padding-right: 4px; }
QSpinBox::up-button, QSpinBox::down-button { width: 14px; border: none; background: transparent; }
QSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; margin: 2px 3px 0 0; }
QSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right; margin: 0 3px 2px 0; }
QSpinBox::up-arrow { image: url("$chevron_up"); width: 9px; height: 9px; }
QSpinBox::down-arrow { image: url("$chevron_down"); width: 9px; height: 9px; }

QAbstractScrollArea { background: $page; color: $text; border: none; }
QPlainTextEdit { background: $page; color: $text; border: none; selection-background-color: $accent;
  selection-color: $on_mark; }
QAbstractItemView { background: $page; color: $text; border: none; outline: none; alternate-background-color: $page;
  selection-background-color: $accent_fill; selection-color: $text; }
QTreeView::item, QTableView::item { height: 24px; padding: 0 4px; border: none; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected {
  background: $accent_fill; color: $text; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:closed { image: url("$chevron_right"); }
QTreeView::branch:has-children:open { image: url("$chevron_down"); }
QHeaderView { background: $page; border: none; }
QHeaderView::section { background: $page; color: $dim; border: none; border-bottom: 1px solid $hairline;
  padding: 3px 4px; font-size: 12px; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $track; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $edge; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; border: none;
  width: 0; height: 0; }
QAbstractScrollArea::corner { background: $page; }

QDockWidget { color: $text; titlebar-close-icon: url("$close_icon"); }
QDockWidget::title { background: $page; padding: 6px 10px; border-bottom: 1px solid $hairline; text-align: left; }
QTabBar { background: $page; border: none; }
QTabBar::tab { background: $page; color: $dim; border: none; border-bottom: 2px solid transparent; padding: 6px 12px; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabWidget::pane { border: none; border-top: 1px solid $hairline; }

QToolBar { background: $page; border: none; border-bottom: 1px solid $hairline; padding: 6px 10px; spacing: 8px; }
QToolBar::separator { background: transparent; width: 8px; }
QStatusBar { background: $page; color: $dim; border-top: 1px solid $hairline; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $dim; }
QMenuBar { background: $page; color: $text; border-bottom: 1px solid $hairline; }
QMenuBar::item { background: transparent; padding: 5px 9px; border-radius: 4px; }
QMenuBar::item:selected { background: $accent_fill; }
QMenu { background: $page; color: $text; border: 1px solid $hairline; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent_fill; }
QMenu::item:disabled { color: $edge; }
QMenu::separator { background: $hairline; height: 1px; margin: 4px 6px; }
QToolTip { background: $page; color: $text; border: 1px solid $edge; padding: 4px 7px; }

QProgressBar { background: $track; border: none; border-radius: 2px; min-height: 4px; max-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QCheckBox, QRadioButton { color: $text; spacing: 6px; background: transparent; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid $edge; border-radius: 3px; background: $page; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$check_icon"); }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QGroupBox { border: 1px solid $hairline; border-radius: 6px; margin-top: 10px; padding: 8px; }
QGroupBox::title { subcontrol-origin: margin; left: 8px; color: $dim; }

QFrame#card { background: $page; border: 1px solid $hairline; border-radius: 6px; }
QFrame#hover_card { background: $page; border: 1px solid $edge; border-radius: 6px; }
QFrame#message { background: $hover; border: none; border-bottom: 1px solid $hairline; }
QFrame#message[mark="error"] { border-left: 3px solid $fault; }
QFrame#message[mark="warning"] { border-left: 3px solid $cut; }
QFrame#message[mark="note"] { border-left: 3px solid $accent; }
QFrame#header { background: $page; border: none; border-bottom: 1px solid $hairline; }
QFrame#lens_bar { background: $hover; border: none; border-bottom: 1px solid $hairline; }
QFrame#find_bar { background: $page; border: none; border-top: 1px solid $hairline; }
QPushButton#recent { text-align: left; border-color: transparent; padding: 6px 10px; }
QPushButton#recent:hover, QPushButton#recent:focus { background: $accent_fill; }
"""
