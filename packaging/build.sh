#!/usr/bin/env bash
# Makes the program with its own Node.js for one platform, and for Linux a Debian package of the same files.
#
#     packaging/build.sh out/movedex-0.2.0.tgz linux-x64 path/to/node out
#
# PLATFORM is the name of better-sqlite3's binary: linux-x64, linux-arm64, darwin-x64, darwin-arm64. The licence of Node.js has to lie where its
# own archives have it: in the folder above that of the binary. With SOURCE_DATE_EPOCH equal input gives equal bytes.
set -euo pipefail
package=$(realpath "$1") platform=$2 node=$(realpath "$3") out=$(realpath -m "$4")
root=$(cd "$(dirname "$0")/.." && pwd)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

tar -xzf "$package" -C "$work"
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$work/package/package.json")
tree=$work/movedex-$version-$platform
lib=$tree/lib/movedex
mkdir -p "$tree/bin" "$tree/lib"
mv "$work/package" "$lib"
rm -f "$lib/npm-shrinkwrap.json"
install -m 755 "$node" "$lib/node"
install -m 644 "$(dirname "$node")/../LICENSE" "$lib/LICENSE.node"
install -m 755 "$root/packaging/movedex.sh" "$tree/bin/movedex"

# The one library with a binary, without its sources and the binaries of other platforms.
sqlite=$root/node_modules/better-sqlite3
mkdir -p "$lib/node_modules/better-sqlite3/prebuilds"
cp -R "$sqlite/lib" "$sqlite/package.json" "$sqlite/LICENSE" "$lib/node_modules/better-sqlite3"
cp "$sqlite/prebuilds/$platform.node" "$lib/node_modules/better-sqlite3/prebuilds"

# What a system looks for elsewhere is moved there.
mkdir -p "$tree/share/man/man1" "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
for page in "$lib"/dist/man/*.1; do gzip -9n < "$page" > "$tree/share/man/man1/$(basename "$page").gz"; done
mv "$lib/dist/completions/movedex.bash" "$tree/share/bash-completion/completions/movedex"
mv "$lib/dist/completions/_movedex" "$tree/share/zsh/site-functions/_movedex"
mv "$lib/dist/completions/movedex.fish" "$tree/share/fish/vendor_completions.d/movedex.fish"
rm -r "$lib/dist/man" "$lib/dist/completions"
find "$tree" -type d -exec chmod 755 {} +
find "$tree" -type f -not -perm -100 -exec chmod 644 {} +
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -cf - "$(basename "$tree")" | gzip -6n > "$out/$(basename "$tree").tar.gz"

case $platform in linux-*) ;; *) exit 0 ;; esac
command -v dpkg-deb > /dev/null || exit 0
case $platform in *-x64) arch=amd64 ;; *) arch=arm64 ;; esac
deb=$work/deb
mkdir -p "$deb/usr/share/doc/movedex" "$deb/DEBIAN"
cp -R "$tree"/. "$deb/usr"
mkdir -p "$deb/usr/share/zsh/vendor-completions" && mv "$deb/usr/share/zsh/site-functions/_movedex" "$deb/usr/share/zsh/vendor-completions" && rmdir "$deb/usr/share/zsh/site-functions"
cat "$lib/LICENSE" "$lib/LICENSE.node" "$lib/dist/licenses.md" > "$deb/usr/share/doc/movedex/copyright"
sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$(du -sk "$deb/usr" | cut -f1)/" "$root/packaging/debian/control" > "$deb/DEBIAN/control"
(cd "$deb" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
find "$deb" -type d -exec chmod 755 {} +
find "$deb" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz -z1 --build "$deb" "$out/movedex_${version}_$arch.deb" > /dev/null
