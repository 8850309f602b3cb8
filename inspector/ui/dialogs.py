"""What the window asks the author for: folders, models, where settings go, the editor, where to go and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QMainWindow, QMessageBox, QVBoxLayout

from inspector.core.options import Options
from inspector.core.strategies.choices import Choices
from inspector.plugins import all_strategies
from inspector.settings import FILE_NAME
from inspector.ui import editor, presenter
from inspector.ui.about import AboutBox, gather_facts
from inspector.ui.actions import Actions
from inspector.ui.chooser import Choice, Chooser
from inspector.ui.controls import dim_label
from inspector.ui.key_sheet import KeySheet
from inspector.ui.option_form import OptionForm
from inspector.ui.session import Message, Session
from inspector.ui.theme import FAR, Theme

OTHER_COMMAND = "Another command…"


class Dialogs(QObject):
    """Asks, and lets the session do what was answered; a dialog that is left changes nothing."""

    def __init__(self, window: QMainWindow, session: Session, theme: Theme, actions: Actions) -> None:
        """Ask over this window."""
        super().__init__(window)
        self._window = window
        self._session = session
        self._theme = theme
        self._actions = actions
        self.editor_command = ""

    def choose_folder(self) -> None:
        """Ask for a folder and open it."""
        start = str(self._session.folder or Path.home())
        folder = QFileDialog.getExistingDirectory(self._window, "Open a folder of markdown", start)
        if folder:
            self._session.open_folder(Path(folder))

    def show_options(self) -> None:
        """Show all options of the chosen strategy; each change counts at once and can be undone."""
        session = self._session
        self._show_form(
            lambda: (session.settings.strategy, session.settings.own or session.settings.options),
            session.set_own_options,
            session.settings_changed,
        )

    def show_other_options(self) -> None:
        """Show all options of the strategy that the one in force is compared with."""
        keeper = self._session.compare
        self._show_form(lambda: (keeper.strategy, keeper.options), keeper.set_options, keeper.changed)

    def _show_form(
        self,
        read: Callable[[], tuple[str, Options | Choices]],
        take: Callable[[Options | Choices], None],
        changed: SignalInstance,
    ) -> None:
        """Show a form beside the window, which follows what it shows and goes with its strategy."""
        name, options = read()
        dialog = QDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(f"Options: {all_strategies()[name].label}")
        form = OptionForm(options)
        column = QVBoxLayout(dialog)
        column.setContentsMargins(FAR, FAR, FAR, FAR)
        column.setSpacing(FAR)
        column.addWidget(dim_label(all_strategies()[name].help))
        column.addWidget(form)

        def follow() -> None:
            strategy, now = read()
            if strategy != name:
                dialog.close()
            else:
                form.show_options(now)

        form.changed.connect(take)
        changed.connect(follow)
        dialog.finished.connect(lambda: changed.disconnect(follow))
        dialog.show()

    def save_settings(self) -> None:
        """Save the settings: into the folder's file; a first one there is asked for."""
        session = self._session
        path = session.save_path
        if session.folder is not None and not (session.folder / FILE_NAME).exists():
            box = QMessageBox(self._window)
            box.setWindowTitle("Save settings")
            box.setText(f"Write {FILE_NAME} into {session.folder.name}?")
            box.setInformativeText("The settings then travel with the posts. Your posts are never written.")
            here = box.addButton("Write it there", QMessageBox.ButtonRole.AcceptRole)
            own = box.addButton("Keep as my defaults", QMessageBox.ButtonRole.NoRole)
            box.addButton(QMessageBox.StandardButton.Cancel)
            box.exec()
            if box.clickedButton() is here:
                path = session.folder / FILE_NAME
            elif box.clickedButton() is not own:
                return
        session.save(path)

    def ask_limit(self) -> None:
        """Ask how many tokens a model reads that is not known here."""
        words = "Tokens that the model reads:"
        limit, is_ok = QInputDialog.getInt(self._window, "Other model", words, 1024, 8, 1_000_000)
        settings = self._session.settings
        if is_ok:
            self._session.change_settings(
                replace(settings, target_model=type(settings)().target_model, token_limit=limit)
            )
        else:
            self._session.settings_changed.emit()  # the box goes back to the model in force

    def ask_model_folder(self) -> None:
        """Ask for a model on this machine."""
        folder = QFileDialog.getExistingDirectory(self._window, "The model's folder")
        if folder:
            self._session.change_settings(replace(self._session.settings, target_model=folder, token_limit=0))
        else:
            self._session.settings_changed.emit()

    def choose_editor(self) -> bool:
        """Ask which editor opens posts; False when the author has left it open."""
        commands = editor.presets()
        names = [*commands, OTHER_COMMAND]
        known = next((number for number, name in enumerate(names) if commands.get(name) == self.editor_command), 0)
        name, is_ok = QInputDialog.getItem(self._window, "Your editor", "Posts are opened with:", names, known, False)
        if not is_ok:
            return False
        if name == OTHER_COMMAND:
            words = "A command with {file} and {line}:"
            command, is_ok = QInputDialog.getText(self._window, "Your editor", words, text=self.editor_command)
            if not is_ok or not command.strip():
                return False
            self.editor_command = command.strip()
        else:
            self.editor_command = commands[name]
        return True

    def edit(self) -> None:
        """Open the selected place in the author's editor, which is asked for once."""
        session = self._session
        document = session.open
        if document is None or session.folder is None or (not self.editor_command and not self.choose_editor()):
            return
        lines = document.chunking.document.lines
        line = lines.line_of(max(0, session.selection.offset))
        try:
            editor.open_in_editor(self.editor_command, session.folder / document.name, line)
        except editor.EditorError as error:
            session.told.emit(Message(error.message))

    def go_to(self) -> None:
        """Let the author go to a post, or a heading of one."""
        if self._session.documents:
            self._choose("Go to", "Post or heading", presenter.places(self._session), self._go)

    def _go(self, place: tuple[str, int]) -> None:
        self._session.choose_document(*place)

    def show_palette(self) -> None:
        """Let the author choose any action by name."""
        native = QKeySequence.SequenceFormat.NativeText
        choices = [
            Choice(
                self._actions.title(name).rstrip("…"),
                self._actions.group_of(name),
                action.shortcut().toString(native),
                action,
                action.isEnabled(),
            )
            for name, action in self._actions.by_name.items()
            if name != "palette"
        ]
        self._choose("Command palette", "What to do", choices, QAction.trigger)

    def _choose(self, title: str, placeholder: str, choices: list[Choice], act: Callable[..., object]) -> None:
        dialog = Chooser(self._theme, title, placeholder, choices, self._window)
        dialog.chosen.connect(lambda value: act(value))
        dialog.open()

    def show_about(self) -> None:
        """Show versions, model and engine, and where log, cache and settings are."""
        keeper = self._session.map
        model = keeper.model.name if keeper.model is not None else ""
        AboutBox(self._window, gather_facts(model, keeper.engine)).open()

    def show_keys(self) -> None:
        """Show the sheet of keys."""
        KeySheet(self._actions, self._window).open()
