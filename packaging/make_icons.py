#!/usr/bin/env python3
"""Draw the icon's files from resources/icons/chunk-inspector.svg: PNGs for Linux, .ico for Windows, .icns for macOS.

python packaging/make_icons.py          with a Python that has PySide6; the files are kept in packaging/icons
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "resources" / "icons" / "chunk-inspector.svg"
FOLDER = ROOT / "packaging" / "icons"
PNG_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
ICNS_KINDS = {
    b"icp4": 16, b"icp5": 32, b"ic11": 32, b"ic12": 64, b"ic07": 128, b"ic08": 256, b"ic13": 256, b"ic09": 512,
    b"ic14": 512, b"ic10": 1024,
}  # fmt: skip
MAC_MARGIN = 0.1  # of the side: what Apple's icons leave free around their tile


def main() -> int:
    """Write all files; return the exit code."""
    application = QGuiApplication(["make_icons", "-platform", "offscreen"])
    FOLDER.mkdir(exist_ok=True)
    for size in PNG_SIZES:
        (FOLDER / f"{size}.png").write_bytes(png(size))
    (FOLDER / "chunk-inspector.ico").write_bytes(ico({size: png(size) for size in ICO_SIZES}))
    pictures = {kind: png(size, MAC_MARGIN if size > 32 else 0.0) for kind, size in ICNS_KINDS.items()}
    (FOLDER / "chunk-inspector.icns").write_bytes(icns(pictures))
    del application
    return 0


def png(size: int, margin: float = 0.0) -> bytes:
    """Draw the icon `size` pixels square, with a margin as a share of the side."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    free = round(size * margin)
    QSvgRenderer(str(SOURCE)).render(painter, QRectF(free, free, size - 2 * free, size - 2 * free))
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """Put PNGs, by size, into one Windows icon."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    place = len(head) + 16 * len(pictures)
    entries, body = b"", b""
    for size, data in pictures.items():
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), place + len(body))
        body += data
    return head + entries + body


def icns(pictures: dict[bytes, bytes]) -> bytes:
    """Put PNGs, by Apple's kind, into one macOS icon."""
    body = b"".join(kind + struct.pack(">I", 8 + len(data)) + data for kind, data in pictures.items())
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


if __name__ == "__main__":
    sys.exit(main())
