"""The commands that need a window: open, screenshot and selftest."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from inspector.app import USAGE, WINDOW_COMMANDS, open_window

LENSES = ("off", "marks", "ghost")
PANES = ("outline", "chunks", "map", "problems", "find", "compare")

app = typer.Typer(
    name="chunk-inspector", add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}
)


def run(arguments: Sequence[str]) -> int:
    """Run `open`, `screenshot`, `selftest`, or open a path; returns the exit code."""
    words = list(arguments)
    if not words or words[0] not in WINDOW_COMMANDS:
        words.insert(0, "open")
    try:
        result = app(words, standalone_mode=False)
    except typer.Exit as error:
        return error.exit_code
    except Exception as error:
        if hasattr(error, "format_message"):  # click's usage errors
            print(f"chunk-inspector: {error.format_message()}", file=sys.stderr)
            return USAGE
        raise
    return result if isinstance(result, int) else 0


@app.command("open")
def open_path(
    path: Annotated[str | None, typer.Argument(help="A folder of markdown, or a file in one.")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Forget the window's layout and recents.")] = False,
) -> int:
    """Open a folder in the window; without one, the last folder."""
    return open_window(path, reset=reset)


@app.command()
def screenshot(
    folder: Annotated[str, typer.Argument(help="The folder to show.")],
    output: Annotated[str, typer.Option("-o", "--output", help="The PNG to write.")],
    size: Annotated[str, typer.Option(help="Width and height.")] = "1600x1000",
    scale: Annotated[float, typer.Option(help="Pixels per point.")] = 1.0,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    document: Annotated[str, typer.Option(help="The document to open.")] = "",
    select: Annotated[int, typer.Option(help="The number of the chunk to select, from 1.")] = 0,
    question: Annotated[str, typer.Option(help="A question to ask.")] = "",
    wait_for: Annotated[str, typer.Option(help="chunks, pca or map.")] = "chunks",
    lens: Annotated[str, typer.Option(help="off, marks or ghost.")] = "off",
    pane: Annotated[str, typer.Option(help="A pane to bring up: problems, map, compare …")] = "",
) -> int:
    """Write a picture of the real window, rendered offscreen."""
    from inspector.screenshot import Picture, take_picture

    try:
        width, height = (int(part) for part in size.lower().split("x"))
    except ValueError:
        return _usage(f"--size {size}: write it like 1600x1000")
    if theme not in ("light", "dark"):
        return _usage(f"--theme {theme}: choose light or dark")
    if wait_for not in ("chunks", "pca", "map"):
        return _usage(f"--wait-for {wait_for}: choose chunks, pca or map")
    if not Path(folder).is_dir():
        return _usage(f"{folder}: no such folder")
    if not (100 <= width <= 10_000 and 100 <= height <= 10_000 and 0.5 <= scale <= 4):
        return _usage("--size is from 100 to 10000, --scale from 0.5 to 4")
    if lens not in LENSES:
        return _usage(f"--lens {lens}: choose {', '.join(LENSES)}")
    if pane and pane not in PANES:
        return _usage(f"--pane {pane}: choose {', '.join(PANES)}")
    picture = Picture(
        Path(folder), Path(output), width, height, theme, document, select, question, wait_for, lens, pane
    )
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = str(scale)
    fault = take_picture(picture)
    return _usage(fault) if fault else 0


@app.command()
def selftest(
    folder: Annotated[str | None, typer.Argument(help="The folder to try; the sample by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> int:
    """Open, drag, embed, map and ask in a real window, offscreen, and print how long each took."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from inspector.resources import resource_path
    from inspector.selftest import run_selftest

    path = Path(folder) if folder is not None else resource_path("sample")
    if not path.is_dir():
        return _usage(f"{folder}: no such folder")
    return run_selftest(path, as_json=as_json)


def _usage(message: str) -> int:
    print(f"chunk-inspector: {message}", file=sys.stderr)
    return USAGE
