#!/usr/bin/env python3
"""Pack the bundle for Linux: a .deb for Debian and Ubuntu, a .tar.zst for all others.

python packaging/linux/package.py DIST VERSION
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LINUX = ROOT / "packaging" / "linux"
ICONS = ROOT / "packaging" / "icons"
NAME = "chunk-inspector"
METAINFO = "io.github.chunk_inspector.ChunkInspector.metainfo.xml"
PROGRAMS = (NAME, f"{NAME}-gui")
LEVEL = "19"  # of zstd: minutes on two cores, once a release
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OLDEST_GLIBC = (2, 34)  # what PySide6 asks for

CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: The authors of Chunk Inspector <chunk-inspector@localhost>
Installed-Size: {kilobytes}
Depends: libc6 (>= {glibc}), libgl1, libegl1
Section: text
Priority: optional
Description: see how markdown will be chunked for retrieval
 Shows authors of markdown how their posts will be chunked, what an embedding
 model reads of them, and what they will answer. The model is inside, no
 network is used.
"""


def main(arguments: list[str]) -> int:
    """Write both packages into DIST; return the exit code."""
    dist, version = Path(arguments[0]).resolve(), arguments[1]
    bundle = dist / NAME
    if not (bundle / NAME).exists():
        print(f"package: {bundle} is missing, build it first", file=sys.stderr)
        return 1
    machine = os.uname().machine
    for file in (
        make_deb(bundle, dist, version, ARCHITECTURES.get(machine, machine)),
        make_archive(bundle, dist, version, machine),
    ):
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file.name}", flush=True)
    return 0


def make_deb(bundle: Path, dist: Path, version: str, architecture: str) -> Path:
    """Make the Debian package; it has no scripts: Debian's own triggers see to menus, icons and types of files."""
    tree = dist / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    opt = tree / "opt" / NAME
    copy_linked(bundle, opt)
    place_shared(tree / "usr" / "share", version)
    (tree / "usr" / "bin").mkdir(parents=True)
    for program in PROGRAMS:
        (tree / "usr" / "bin" / program).symlink_to(f"/opt/{NAME}/{program}")
    control = tree / "DEBIAN"
    control.mkdir()
    files = sorted(path for path in opt.parent.rglob("*") if path.is_file() and not path.is_symlink())
    files += sorted(path for path in (tree / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    kilobytes = sum(path.stat().st_size for path in files) // 1024
    glibc = ".".join(map(str, needed_glibc(bundle)))
    (control / "control").write_text(
        CONTROL.format(name=NAME, version=version, architecture=architecture, kilobytes=kilobytes, glibc=glibc)
    )
    (control / "md5sums").write_text("".join(f"{md5(path)}  {path.relative_to(tree)}\n" for path in files))
    for folder in (tree, *(path for path in tree.rglob("*") if path.is_dir() and not path.is_symlink())):
        folder.chmod(0o755)
    output = dist / f"{NAME}_{version}_{architecture}.deb"
    begun = time.monotonic()
    run(["dpkg-deb", "--build", "--root-owner-group", "-Zzstd", f"-z{LEVEL}", str(tree), str(output)])
    print(f"deb packed in {time.monotonic() - begun:.0f} s; needs glibc {glibc}", flush=True)
    shutil.rmtree(tree)
    return output


def make_archive(bundle: Path, dist: Path, version: str, machine: str) -> Path:
    """Make the archive: the bundle in a folder of its own, with share/ for who wants an entry in the menu."""
    folder = f"{NAME}-{version}-linux-{machine}"
    tree = dist / folder
    shutil.rmtree(tree, ignore_errors=True)
    copy_linked(bundle, tree)
    place_shared(tree / "share", version)
    output = dist / f"{folder}.tar.zst"
    packer = f"zstd -q -f -T0 -{LEVEL} --long=27"  # as far back as every zstd unpacks unasked
    owner = ["--owner=0", "--group=0", "--sort=name", "--mode=u=rwX,go=rX"]
    run(["tar", "-C", str(dist), *owner, f"--use-compress-program={packer}", "-cf", str(output), folder])
    shutil.rmtree(tree)
    return output


def place_shared(share: Path, version: str) -> None:
    """Lay down menu entry, metainfo, icons, licences and changes."""
    put(LINUX / f"{NAME}.desktop", share / "applications" / f"{NAME}.desktop")
    put(LINUX / METAINFO, share / "metainfo" / METAINFO)
    for picture in ICONS.glob("*.png"):
        put(picture, share / "icons" / "hicolor" / f"{picture.stem}x{picture.stem}" / "apps" / f"{NAME}.png")
    put(ROOT / "resources" / "icons" / f"{NAME}.svg", share / "icons" / "hicolor" / "scalable" / "apps" / f"{NAME}.svg")
    doc = share / "doc" / NAME
    put(LINUX / "copyright", doc / "copyright")
    changes = (ROOT / "packaging" / "CHANGELOG.md").read_bytes()
    (doc / "changelog.gz").write_bytes(gzip.compress(changes, mtime=0))
    page = share / "man" / "man1" / f"{NAME}.1.gz"
    page.parent.mkdir(parents=True)
    page.write_bytes(gzip.compress((LINUX / f"{NAME}.1").read_text().replace("@VERSION@", version).encode(), mtime=0))
    (page.parent / f"{NAME}-gui.1.gz").symlink_to(page.name)


def needed_glibc(bundle: Path) -> tuple[int, int]:
    """Return the newest version of glibc that any library of the bundle asks for."""
    newest = OLDEST_GLIBC
    for path in bundle.rglob("*"):
        if path.is_file() and not path.is_symlink() and (".so" in path.name or path.name == NAME):
            told = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True).stdout
            found = [(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", told)]
            newest = max([newest, *found])
    return newest


def copy_linked(source: Path, target: Path) -> None:
    """Copy a folder by hard links: the same files are packed twice."""
    shutil.copytree(source, target, symlinks=True, copy_function=os.link)


def put(source: Path, target: Path) -> None:
    """Copy one file to its place, readable by all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def md5(path: Path) -> str:
    """Return a file's digest, as Debian lists it."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "md5").hexdigest()


def run(command: list[str]) -> None:
    """Run a command to its end; raises CalledProcessError when it fails."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
