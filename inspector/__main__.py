"""The entry point: a known command goes to a command line, all else opens the window. Imports nothing heavy."""

from __future__ import annotations

import multiprocessing
import os
import sys

COMMANDS = frozenset({"cache", "chunk", "compare", "inspect"})
"""Commands that need no window."""

QUIET = "ignore:resource_tracker:UserWarning"
"""A worker that is killed leaves semaphores behind; the tracker gives them back, and need not tell the terminal so."""


def main() -> int:
    """Run the program with `sys.argv`; returns the exit code."""
    if QUIET not in sys.warnoptions:  # first: by these options a bundle knows that it was started as the tracker
        sys.warnoptions.append(QUIET)
    multiprocessing.freeze_support()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from inspector.memory import calm_collector

    calm_collector()
    arguments = sys.argv[1:]
    if arguments == ["--plugin-child"]:
        from inspector.plugins.child import serve

        return serve()
    if arguments and (arguments[0] in COMMANDS or arguments[0] in ("--help", "-h", "--version")):
        from inspector.cli import run

        return run(arguments)
    from inspector.app import WINDOW_COMMANDS, open_window

    is_path = len(arguments) == 1 and arguments[0] not in WINDOW_COMMANDS and not arguments[0].startswith("-")
    if is_path or not arguments:
        return open_window(*arguments)
    from inspector.cli_window import run as run_window

    return run_window(arguments)


if __name__ == "__main__":
    sys.exit(main())
