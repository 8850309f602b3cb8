#!/usr/bin/env python3
"""Make the per-user installer of the bundle; needs makensis (NSIS 3).

python packaging/windows/package.py DIST VERSION
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
USUAL_PLACE = Path(r"C:\Program Files (x86)\NSIS\makensis.exe")


def main(arguments: list[str]) -> int:
    """Write the installer into DIST; return the exit code."""
    dist, version = Path(arguments[0]).resolve(), arguments[1]
    makensis = shutil.which("makensis") or str(USUAL_PLACE)
    output = dist / f"chunk-inspector-{version}-windows-setup.exe"
    command = [makensis, "-V2", f"-DVERSION={version}", f"-DBUNDLE={dist / 'chunk-inspector'}", f"-DOUTPUT={output}"]
    command += [f"-DICON={ROOT / 'packaging' / 'icons' / 'chunk-inspector.ico'}"]
    code = subprocess.run([*command, str(ROOT / "packaging" / "windows" / "installer.nsi")]).returncode
    if code == 0:
        print(f"{output.stat().st_size / 1e6:8.1f} MB  {output.name}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
