#!/bin/sh
# Install the .deb in an empty Debian, try it there, look at its window, remove it, and see that nothing is left.
# sh packaging/linux/try_deb.sh DEB OUTPUT      as root; needs debootstrap, xvfb and imagemagick
#
# The container has no Python, no font, and no Qt library but what the package depends on. The X server is this machine's.
set -eu
deb=$1
output=$2
root=${ROOT_FOLDER:-$(mktemp -d)/root}
display=${DISPLAY_NUMBER:-87}
mkdir -p "$output"

[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$deb" "$root/tmp/chunk-inspector.deb"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mkdir -p "$root/tmp/.X11-unix"
cleanup() {
  for pid in ${window:-} ${server:-}; do kill "$pid" 2>/dev/null || true; done
  sleep 1
  for place in opt/chunk-inspector tmp/.X11-unix dev proc; do umount "$root/$place" 2>/dev/null || true; done
}
trap cleanup EXIT

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
# as an ordinary user whose home is empty
as_user() { inside setpriv --reuid=1000 --regid=1000 --clear-groups /usr/bin/env HOME=/home/reader LANG=C.UTF-8 "$@"; }
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./home -o -path ./var \) -prune -o -print | sort); }

inside apt-get update -q > "$output/apt.txt" 2>&1
inside apt-get install -y --no-install-recommends libgl1 libegl1 >> "$output/apt.txt" 2>&1
files > "$output/before.txt"
inside apt-get install -y --no-install-recommends /tmp/chunk-inspector.deb >> "$output/apt.txt" 2>&1
files > "$output/installed.txt"
mkdir -p "$root/home/reader"
chown 1000:1000 "$root/home/reader"
mount --bind "$root/opt/chunk-inspector" "$root/opt/chunk-inspector"
mount -o remount,bind,ro "$root/opt/chunk-inspector"

echo "== selftest, cold: read-only, no network, empty home"
unshare -n sh -c "chroot '$root' /usr/bin/env -i PATH=/usr/bin:/bin setpriv --reuid=1000 --regid=1000 --clear-groups \
  /usr/bin/env HOME=/home/reader LANG=C.UTF-8 chunk-inspector selftest" > "$output/selftest-cold.txt" 2> "$output/selftest-cold.err"
echo "exit code $?"
echo "== selftest, warm"
unshare -n sh -c "chroot '$root' /usr/bin/env -i PATH=/usr/bin:/bin setpriv --reuid=1000 --regid=1000 --clear-groups \
  /usr/bin/env HOME=/home/reader LANG=C.UTF-8 chunk-inspector selftest" > "$output/selftest-warm.txt" 2> "$output/selftest-warm.err"
echo "exit code $?"

echo "== window"
Xvfb ":$display" -screen 0 1600x1000x24 -nolisten tcp > /dev/null 2>&1 &
server=$!
sleep 2
mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
as_user DISPLAY=":$display" chunk-inspector-gui /opt/chunk-inspector/_internal/resources/sample > "$output/window.txt" 2>&1 &
window=$!
sleep "${WINDOW_SECONDS:-40}"
DISPLAY=":$display" import -window root "$output/window.png"
pkill -f chunk-inspector-gui || true # the program itself: $window is the shell around it
wait "$window" 2> /dev/null || true
as_user chunk-inspector cache

echo "== removed"
for _ in 1 2 3 4 5 6; do umount "$root/opt/chunk-inspector" 2> /dev/null && break; sleep 2; done # its workers end after it
inside apt-get remove -y chunk-inspector >> "$output/apt.txt" 2>&1
files > "$output/after.txt"
if diff "$output/before.txt" "$output/after.txt"; then echo "nothing is left outside the user's folders"; fi
(cd "$root/home" && find . -maxdepth 4 | sort)
