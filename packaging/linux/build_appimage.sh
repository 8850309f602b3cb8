#!/bin/sh
# Make an AppImage of dist/chunk-inspector. Needs appimagetool, which distributions do not have: name it in APPIMAGETOOL.
# sh packaging/linux/build_appimage.sh VERSION
set -eu
version=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
tree=$root/dist/AppDir
machine=$(uname -m)
rm -rf "$tree"
mkdir -p "$tree/opt" "$tree/usr/share/metainfo"
cp -a "$root/dist/chunk-inspector" "$tree/opt/"
cp "$root/packaging/linux/AppRun" "$tree/AppRun"
chmod 755 "$tree/AppRun"
# inside an image the program is AppRun, whatever the menu's entry calls it
sed -e 's/^Exec=.*/Exec=AppRun %f/' -e '/^TryExec=/d' "$root/packaging/linux/chunk-inspector.desktop" > "$tree/chunk-inspector.desktop"
cp "$root/packaging/linux/io.github.chunk_inspector.ChunkInspector.metainfo.xml" \
  "$tree/usr/share/metainfo/io.github.chunk_inspector.ChunkInspector.appdata.xml"
cp "$root/packaging/icons/256.png" "$tree/chunk-inspector.png"
cp "$root/packaging/icons/256.png" "$tree/.DirIcon"
ARCH=$machine "${APPIMAGETOOL:-appimagetool}" --comp zstd "$tree" "$root/dist/chunk-inspector-$version-$machine.AppImage"
rm -rf "$tree"
