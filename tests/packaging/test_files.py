"""What the three systems read of the program is well formed and says the same."""

from __future__ import annotations

import configparser
import plistlib
import shutil
import struct
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from build import version_resource
from inspector.corpus import MARKDOWN

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
METAINFO = PACKAGING / "linux" / "io.github.chunk_inspector.ChunkInspector.metainfo.xml"


@pytest.fixture(scope="module")
def entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(PACKAGING / "linux" / "chunk-inspector.desktop")
    return parser["Desktop Entry"]


def test_the_menu_entry_is_the_windows_name(entry):
    source = (ROOT / "inspector" / "app.py").read_text()
    assert 'setDesktopFileName("chunk-inspector")' in source
    assert entry["StartupWMClass"] == "chunk-inspector"
    assert entry["Exec"] == "chunk-inspector-gui %f"


def test_folders_and_markdown_are_opened_and_nothing_is_claimed(entry):
    assert entry["MimeType"].split(";")[:-1] == ["text/markdown", "inode/directory"]
    assert entry["InitialPreference"] == "0"
    kinds = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())["CFBundleDocumentTypes"]
    assert {kind["LSHandlerRank"] for kind in kinds} == {"Alternate"}


def test_every_suffix_is_offered_on_windows_and_mac():
    kinds = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())["CFBundleDocumentTypes"]
    assert {f".{suffix}" for suffix in kinds[0]["CFBundleTypeExtensions"]} == set(MARKDOWN)
    script = (PACKAGING / "windows" / "installer.nsi").read_text()
    for suffix in MARKDOWN:
        assert f'OfferFor "{suffix}"' in script
        assert f'WithdrawFor "{suffix}"' in script


def test_metainfo_names_the_entry_and_this_version():
    root = ElementTree.parse(METAINFO).getroot()
    assert root.findtext("launchable") == "chunk-inspector.desktop"
    release = root.find("releases/release")
    assert release is not None
    assert release.get("version") == VERSION


def test_the_compiler_may_run_what_it_writes_on_a_mac():
    rights = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert rights["com.apple.security.cs.allow-unsigned-executable-memory"] is True


def test_the_version_resource_is_python_and_holds_the_version():
    text = version_resource("1.2.3")
    compile(text, "version_info", "eval")
    assert "(1, 2, 3, 0)" in text
    assert "@" not in text.partition("\n")[2]


@pytest.mark.parametrize("size", [16, 22, 24, 32, 48, 64, 128, 256, 512])
def test_icons_are_as_large_as_they_are_called(size):
    head = (PACKAGING / "icons" / f"{size}.png").read_bytes()[:24]
    assert struct.unpack(">II", head[16:24]) == (size, size)


def test_the_windows_icon_holds_the_small_sizes():
    data = (PACKAGING / "icons" / "chunk-inspector.ico").read_bytes()
    (count,) = struct.unpack("<H", data[4:6])
    assert {data[6 + 16 * number] or 256 for number in range(count)} == {16, 20, 24, 32, 40, 48, 64, 256}


@pytest.mark.parametrize(
    "command",
    [
        ["desktop-file-validate", str(PACKAGING / "linux" / "chunk-inspector.desktop")],
        ["appstreamcli", "validate", "--no-net", str(METAINFO)],
    ],
)
def test_validators_find_nothing(command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_installer_script_compiles(tmp_path):
    if shutil.which("makensis") is None:
        pytest.skip("makensis is not installed")
    bundle = tmp_path / "bundle"
    (bundle / "_internal").mkdir(parents=True)
    for name in ("chunk-inspector.exe", "chunk-inspector-gui.exe", "_internal/one"):
        (bundle / name).write_bytes(b"")
    command = ["makensis", "-V2", "-WX", f"-DVERSION={VERSION}", f"-DBUNDLE={bundle}"]
    command += [f"-DOUTPUT={tmp_path / 'chunk-inspector-windows-setup.exe'}"]
    command += [f"-DICON={PACKAGING / 'icons' / 'chunk-inspector.ico'}"]
    done = subprocess.run(
        [*command, str(PACKAGING / "windows" / "installer.nsi")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
