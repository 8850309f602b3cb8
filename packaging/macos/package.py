#!/usr/bin/env python3
"""Sign the application and make its disk image.

python packaging/macos/package.py DIST VERSION

CODESIGN_IDENTITY names the certificate ("Developer ID Application: …"); without one the signature is ad hoc, and a
Mac opens the application only after its owner has allowed it. NOTARY_PROFILE names credentials kept by
`xcrun notarytool store-credentials`; with it the image is notarised and stapled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
APPLICATION = "Chunk Inspector.app"


def main(arguments: list[str]) -> int:
    """Write the disk image into DIST; return the exit code."""
    dist, version = Path(arguments[0]).resolve(), arguments[1]
    application = dist / APPLICATION
    image = dist / f"chunk-inspector-{version}-macos-arm64.dmg"
    sign(application)
    make_image(application, image)
    if profile := os.environ.get("NOTARY_PROFILE"):
        run(["xcrun", "notarytool", "submit", str(image), "--keychain-profile", profile, "--wait"])
        run(["xcrun", "stapler", "staple", str(image)])
    print(f"{image.stat().st_size / 1e6:8.1f} MB  {image.name}")
    return 0


def sign(application: Path) -> None:
    """Sign all that is inside, then the application, and have that checked."""
    identity = os.environ.get("CODESIGN_IDENTITY", "-")
    command = ["codesign", "--force", "--deep", "--options", "runtime", "--sign", identity]
    command += ["--entitlements", str(ROOT / "packaging" / "macos" / "entitlements.plist")]
    run([*command, *([] if identity == "-" else ["--timestamp"]), str(application)])
    run(["codesign", "--verify", "--deep", "--strict", str(application)])


def make_image(application: Path, image: Path) -> None:
    """Make a compressed image with the application and a link to where it belongs."""
    with tempfile.TemporaryDirectory() as folder:
        run(["ditto", str(application), str(Path(folder) / application.name)])
        (Path(folder) / "Applications").symlink_to("/Applications")
        command = ["hdiutil", "create", "-volname", "Chunk Inspector", "-srcfolder", folder, "-fs", "HFS+"]
        run([*command, "-format", "ULMO", "-ov", str(image)])


def run(command: list[str]) -> None:
    """Run a command to its end; raises CalledProcessError when it fails."""
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
