"""Pictures of the window in all its states, to be looked at: `python -m tests.contact_sheet OUT_DIR`.

Each state is drawn light and dark at 1600×1000, the usual ones at 1280×800 and at two pixels a point as well; an
`index.html` beside the pictures shows them all.
"""

from __future__ import annotations

import atexit
import html
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if __name__ != "__mp_main__":  # the window's workers, which begin with this file as well, keep to its folders
    os.environ["CHUNK_INSPECTOR_CONFIG"] = tempfile.mkdtemp(prefix="contact-sheet-")
    os.environ.setdefault("CHUNK_INSPECTOR_CACHE", os.path.join(os.environ["CHUNK_INSPECTOR_CONFIG"], "cache"))
    atexit.register(shutil.rmtree, os.environ["CHUNK_INSPECTOR_CONFIG"], ignore_errors=True)

from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog

from inspector.ui.picture import Lens
from inspector.ui.theme import Theme, ThemeMode
from tests.ui.real_window import CASES, SAMPLE, RealWindow, copy_sample, let_pass, wait_until

State = Callable[[RealWindow], None]
_SCRATCH = Path(os.environ["CHUNK_INSPECTOR_CONFIG"])
STATES: dict[str, State] = {}
USUAL = ("post", "question", "problems")
"""States that are drawn in every size."""
LONG = "a-very-long-name-of-a-post-as-generators-make-them-from-a-title-that-nobody-shortened-2024-03-18"


def state(function: State) -> State:
    """Enter a function as a state of the sheet, under its own name."""
    STATES[function.__name__] = function
    return function


@state
def welcome(real: RealWindow) -> None:
    real.window._state = real.window._state.with_recent(SAMPLE).with_recent(Path("/gone/posts"))
    real.window._fill_welcome()


@state
def post(real: RealWindow) -> None:
    real.open(SAMPLE, "from-analyst.md")
    real.session.select_chunk(2)


@state
def problems(real: RealWindow) -> None:
    real.open(SAMPLE, "unlabelled-table.md")
    real.window.problems.next_problem()


@state
def no_vectors(real: RealWindow) -> None:
    real.session.map.embedder.start = lambda *_args, **_more: real.session.map._on_postponed(104, 41.0)  # type: ignore[assignment]
    real.open(SAMPLE, "chunking-strategy.md")
    let_pass(700)


@state
def question(real: RealWindow) -> None:
    real.open(SAMPLE, "queues-at-night.md")
    real.session.embed_now()
    real.wait_map()
    real.window.questions.ask("how long did the nightly jobs take?")
    wait_until(lambda: bool(real.session.map.answers.hits))


@state
def dragging(real: RealWindow) -> None:
    real.open(SAMPLE, "chunking-strategy.md")
    real.hold_line()
    for value in (1_200, 1_000, 800, 640):
        real.move_line(value)
        let_pass(60)


@state
def lens_marks(real: RealWindow) -> None:
    real.open(SAMPLE, "from-analyst.md")
    real.window.source.set_lens(Lens.MARKS)


@state
def lens_unseen(real: RealWindow) -> None:
    real.open(unseen_folder(), "unseen.md")
    real.window.source.set_lens(Lens.MARKS)


@state
def lens_ghost(real: RealWindow) -> None:
    real.open(SAMPLE, "chunking-strategy.md")
    real.window.source.set_lens(Lens.GHOST)
    real.session.select_chunk(7)


@state
def lens_ghost_crlf(real: RealWindow) -> None:
    real.open(CASES, "009-eol-crlf.md")
    real.window.source.set_lens(Lens.GHOST)


@state
def as_embedded(real: RealWindow) -> None:
    real.open(SAMPLE, "from-analyst.md")
    real.window.source._choose_page(1)


@state
def found(real: RealWindow) -> None:
    real.open(SAMPLE, "queues-at-night.md")
    real.window.source.open_find_bar()
    real.window.source.find_bar.field.setText("queue")


@state
def found_in_folder(real: RealWindow) -> None:
    real.open(SAMPLE, "queues-at-night.md")
    real.window.find_in_folder()
    real.window.folder_find.field.setText("the night")
    real.window.folder_find.search()


@state
def filtered(real: RealWindow) -> None:
    real.open(SAMPLE)
    real.window.outline.field.setText("is:folded")
    real.window.outline.apply_filter()


@state
def palette(real: RealWindow) -> None:
    real.open(SAMPLE)
    real.window.dialogs.show_palette()


@state
def go_to(real: RealWindow) -> None:
    real.open(SAMPLE)
    real.window.dialogs.go_to()


@state
def keys(real: RealWindow) -> None:
    real.open(SAMPLE)
    real.window.dialogs.show_keys()


@state
def layout_write(real: RealWindow) -> None:
    real.open(SAMPLE, "from-analyst.md")
    real.window.arrange("write")


@state
def layout_debug(real: RealWindow) -> None:
    real.open(SAMPLE, "from-analyst.md")
    real.window.arrange("debug")


@state
def layout_ask(real: RealWindow) -> None:
    question(real)
    real.window.arrange("ask")


@state
def strategy_window(real: RealWindow) -> None:
    real.open(SAMPLE, "queues-at-night.md")
    real.session.choose_strategy("window")
    real.wait_read()
    real.session.select_chunk(1)


@state
def strategy_options(real: RealWindow) -> None:
    real.open(SAMPLE, "queues-at-night.md")
    real.window.dialogs.show_options()


@state
def compare(real: RealWindow) -> None:
    real.open(SAMPLE, "queues-at-night.md")
    real.window.docks.bring_up("compare")
    wait_until(lambda: real.session.compare.result is not None and bool(real.session.compare.boundaries))
    real.window.step_difference(1)


@state
def reloaded(real: RealWindow) -> None:
    site = copy_sample(Path(tempfile.mkdtemp(dir=_SCRATCH)))
    real.open(site, "from-analyst.md")
    file = site / "from-analyst.md"
    file.write_bytes(file.read_bytes() + b"\n## A new section\n\n" + b"Words that were not there before. " * 6)
    real.session.look_for_changes()
    let_pass(1_500)


@state
def high_contrast(real: RealWindow) -> None:
    post(real)
    real.window.theme.set_contrast(True)


@state
def empty_folder(real: RealWindow) -> None:
    folder = Path(tempfile.mkdtemp(dir=_SCRATCH)) / "empty"
    folder.mkdir()
    real.session.open_folder(folder)
    let_pass(400)


@state
def no_headings(real: RealWindow) -> None:
    folder = Path(tempfile.mkdtemp(dir=_SCRATCH)) / "plain"
    folder.mkdir()
    (folder / "plain.md").write_text("Words without any heading. " * 120, encoding="utf-8")
    real.open(folder)


@state
def nothing_survives(real: RealWindow) -> None:
    folder = Path(tempfile.mkdtemp(dir=_SCRATCH)) / "stubs"
    folder.mkdir()
    (folder / "stubs.md").write_text("## One\n\nShort.\n\n## Two\n\nShorter.\n", encoding="utf-8")
    real.open(folder)


@state
def long_names(real: RealWindow) -> None:
    folder = Path(tempfile.mkdtemp(dir=_SCRATCH)) / LONG
    folder.mkdir()
    for number, name in enumerate(("from-analyst.md", "search-index.md", "resume.md")):
        shutil.copy(SAMPLE / name, folder / f"{LONG}-{number}.md")
    real.open(folder)


@state
def cannot_read(real: RealWindow) -> None:
    real.session.open_folder(Path("/no/such/folder"))


@state
def unreadable_bytes(real: RealWindow) -> None:
    folder = Path(tempfile.mkdtemp(dir=_SCRATCH)) / "latin"
    folder.mkdir()
    (folder / "café.md").write_bytes(
        "## Le café\n\n".encode("latin-1") + "Un été à la mer, dix fois. ".encode("latin-1") * 20
    )
    real.open(folder)


def unseen_folder() -> Path:
    """Make a post with characters that nobody sees."""
    folder = Path(tempfile.mkdtemp(dir=_SCRATCH)) / "unseen"
    folder.mkdir()
    text = (
        "\ufeff## A\u00a0heading\r\n\r\nA zero\u200bwidth space, a soft\u00adhyphen, "
        "a \u202eright to left\u202c word.\n"
        "A control \x07 character and a no-break\u00a0space.\n\n```js\n## not closed\n"
    )
    (folder / "unseen.md").write_bytes(text.encode("utf-8"))
    return folder


def grab(real: RealWindow) -> QImage:
    """Return the window as it is drawn, with the dialog over it where there is one."""
    image = real.window.grab().toImage()
    dialog = next((d for d in real.window.findChildren(QDialog) if d.isVisible()), None)
    if dialog is not None:
        picture = dialog.grab().toImage()
        painter = QPainter(image)
        painter.drawImage((real.window.width() - dialog.width()) // 2, 150, picture)
        painter.end()
        dialog.reject()
    return image


def draw(name: str, folder: Path, mode: ThemeMode, size: tuple[int, int], suffix: str) -> Path:
    """Draw one state and return the picture's path."""
    theme = Theme(mode)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.style_application(app)
    real = RealWindow(theme, size=size)
    try:
        let_pass(60)
        STATES[name](real)
        let_pass(400)
        path = folder / f"{name}-{mode.value}{suffix}.png"
        grab(real).save(str(path))
        return path
    finally:
        if real.session.is_dragging:
            real.release_line()
        real.close()


def draw_all(folder: Path, names: list[str]) -> Iterator[Path]:
    """Draw states in both themes, the usual ones in the smaller window as well."""
    scale = os.environ.get("QT_SCALE_FACTOR", "1")
    for name in names:
        for mode in (ThemeMode.LIGHT, ThemeMode.DARK):
            if scale != "1":
                yield draw(name, folder, mode, (1280, 800), f"-{scale}x")
                continue
            yield draw(name, folder, mode, (1600, 1000), "")
            if name in USUAL:
                yield draw(name, folder, mode, (1280, 800), "-1280")


def main(arguments: list[str]) -> int:
    """Draw the states named, or all."""
    if not arguments:
        print("python -m tests.contact_sheet OUT_DIR [STATE …]; states: " + ", ".join(STATES), file=sys.stderr)
        return 2
    folder, names = Path(arguments[0]), arguments[1:] or list(STATES)
    unknown = [name for name in names if name not in STATES]
    if unknown:
        print(f"no such state: {', '.join(unknown)}", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication(["contact-sheet"])
    for path in draw_all(folder, names):
        print(path.name, flush=True)
    del app
    usual = [name for name in names if name in USUAL]
    if "QT_SCALE_FACTOR" not in os.environ and usual:
        command = [sys.executable, "-m", "tests.contact_sheet", str(folder), *usual]
        subprocess.run(command, env=os.environ | {"QT_SCALE_FACTOR": "2"}, check=True)
    if "QT_SCALE_FACTOR" not in os.environ:
        pictures = sorted(path.name for path in folder.glob("*.png"))
        figures = "\n".join(
            f'<figure><a href="{html.escape(name)}"><img src="{html.escape(name)}" width="480"></a>'
            f"<figcaption>{html.escape(name)}</figcaption></figure>"
            for name in pictures
        )
        style = "body{font:14px sans-serif;display:flex;flex-wrap:wrap}figure{margin:8px}"
        page = f'<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>{style}</style>{figures}'
        (folder / "index.html").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
