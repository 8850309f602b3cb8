"""The set-up script, as far as it goes without installing anything."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("start", ROOT / "packaging" / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "stamp.txt")
    return module


def test_an_old_python_is_refused_by_name(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "OLDEST_PYTHON", (4, 0))
    with pytest.raises(start.SetupError, match=r"needs Python 4\.0 or newer; this is 3\."):
        start.check_python()


def test_missing_libraries_are_one_line_to_run(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(start, "can_load", lambda library: library not in ("libGL.so.1", "libxcb-cursor.so.0"))
    monkeypatch.setattr(start.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(start.os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(start.SetupError) as told:
        start.check_libraries(with_x11=True)
    assert str(told.value) == (
        "Missing system libraries. Run: sudo apt-get install -y --no-install-recommends libgl1 libxcb-cursor0"
    )


def test_as_root_they_are_installed(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(start, "can_load", lambda library: library != "libEGL.so.1")
    monkeypatch.setattr(start.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(start.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(start, "run", lambda command, **_: commands.append(command) or 0)
    start.check_libraries(with_x11=False)
    assert [command[1] for command in commands] == ["update", "install"]
    assert commands[1][-1] == "libegl1"


def test_a_missing_ensurepip_is_like_a_missing_library(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "can_load", lambda library: True)
    monkeypatch.setattr(start.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(start.shutil, "which", lambda name: None)
    with pytest.raises(start.SetupError, match="python3-venv"):
        start.check_libraries(with_x11=False)


def test_a_second_start_does_nothing(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> int:
        commands.append(command)
        if "venv" in command:
            start.python().parent.mkdir(parents=True)
            start.python().touch()
        return 0

    monkeypatch.setattr(start, "run", run)
    monkeypatch.setattr(start, "has_cpu_index", lambda: True)
    monkeypatch.setattr(start, "venv_version", start.platform.python_version)
    start.set_up(with_tools=False)
    assert len(commands) == 2
    assert commands[1][-2:] == ["--editable", f"{ROOT}[fast]"]
    assert start.CPU_INDEX in commands[1]
    start.set_up(with_tools=False)
    assert len(commands) == 2
    start.set_up(with_tools=True)
    assert commands[2][-1] == f"{ROOT}[fast,dev]"
    start.set_up(with_tools=False)
    assert len(commands) == 3


def test_a_failed_install_is_not_remembered(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "run", lambda command, **_: 1 if "pip" in command else 0)
    monkeypatch.setattr(start, "has_cpu_index", lambda: False)
    with pytest.raises(start.SetupError, match="pip could not install"):
        start.set_up(with_tools=False)
    assert not start.STAMP.exists()


def test_without_a_screen_it_says_what_to_do(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert start.open_window([]) == 1
    words = capsys.readouterr().out
    assert "There is no screen here" in words
    assert f"-m inspector screenshot {ROOT / 'resources' / 'sample'} --output window.png" in words


def test_the_sample_is_opened_when_nothing_is_named(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(start, "has_screen", lambda: True)
    monkeypatch.setattr(start.os, "name", "nt")
    monkeypatch.setattr(start, "run", lambda command, **_: started.append(command) or 0)
    assert start.open_window([]) == 0
    assert started[0][1:] == ["-m", "inspector", str(ROOT / "resources" / "sample")]
    start.open_window(["posts"])
    assert started[1][-1] == "posts"
