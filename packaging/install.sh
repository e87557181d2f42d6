#!/bin/sh
# Installs movedex for one user, without root. It needs curl or wget, tar, and sha256sum or shasum.
#
#     sh install.sh
#
# MOVEDEX_VERSION   the version, such as 0.2.0 (default: the newest release)
# MOVEDEX_PREFIX    where it goes (default: ~/.local)
# MOVEDEX_RELEASES  where releases lie (default: the project's releases on GitHub)
# MOVEDEX_SHA256    the hash that the archive must have, if you know it from another place
#
# The list of hashes lies beside the archive, so whoever changes one can change both. Where GitHub's `gh` is logged in, the script also asks
# for the attestation that the release's own run signed.
#
# It writes PREFIX/lib/movedex-VERSION, the link PREFIX/bin/movedex and links to manual pages and completions below PREFIX/share. It
# changes no file of your shell. To remove movedex, delete these.
set -eu

main() {
  releases=${MOVEDEX_RELEASES:-https://github.com/movedex/movedex/releases}
  prefix=${MOVEDEX_PREFIX:-$HOME/.local}
  case $(uname -s) in Linux) system=linux ;; Darwin) system=darwin ;; *) fail "there is no release for $(uname -s); use npm install -g movedex" ;; esac
  case $(uname -m) in x86_64 | amd64) machine=x64 ;; aarch64 | arm64) machine=arm64 ;; *) fail "there is no release for $(uname -m); use npm install -g movedex" ;; esac
  if [ "$system" = linux ] && [ -e "/lib/ld-musl-$(uname -m).so.1" ]; then fail "there is no release for musl; use npm install -g movedex"; fi
  if [ -n "${MOVEDEX_VERSION:-}" ]; then from=$releases/download/v$MOVEDEX_VERSION; else from=$releases/latest/download; fi

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  fetch "$from/SHA256SUMS" "$work/SHA256SUMS"
  archive=$(sed -n "s/^[0-9a-f]\{64\}  \(movedex-[0-9A-Za-z.-]*-$system-$machine\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
  [ -n "$archive" ] || fail "the release has nothing for $system-$machine"
  fetch "$from/$archive" "$work/$archive"
  (cd "$work" && grep "  $archive\$" SHA256SUMS | check) || fail "$archive is not what SHA256SUMS says; nothing was installed"
  if [ -n "${MOVEDEX_SHA256:-}" ]; then
    (cd "$work" && echo "$MOVEDEX_SHA256  $archive" | check) || fail "$archive is not what MOVEDEX_SHA256 says; nothing was installed"
  elif command -v gh > /dev/null && gh auth status > /dev/null 2>&1; then
    gh attestation verify "$work/$archive" --repo movedex/movedex > /dev/null || fail "GitHub attests no such $archive; nothing was installed"
  else
    echo "$archive is what SHA256SUMS beside it says; only \`gh\`, logged in, or MOVEDEX_SHA256 can say who made it"
  fi

  tar -xzf "$work/$archive" -C "$work"
  name=${archive%.tar.gz}
  home=$prefix/lib/${name%-"$system-$machine"}
  mkdir -p "$prefix/bin" "$prefix/lib"
  rm -rf "$home"
  mv "$work/$name" "$home"
  link "$home/bin/movedex" "$prefix/bin/movedex"
  (cd "$home/share" && find . -type f) | while read -r file; do link "$home/share/$file" "$prefix/share/$file"; done

  echo "installed $("$prefix/bin/movedex" --version) as $prefix/bin/movedex"
  case :$PATH: in *:"$prefix/bin":*) ;; *) echo "$prefix/bin is not in your PATH" ;; esac
}

fetch() {
  if command -v curl > /dev/null; then curl -fsSL -o "$2" "$1"; else wget -q -O "$2" "$1"; fi || fail "could not download $1"
}

check() {
  if command -v sha256sum > /dev/null; then sha256sum -c - > /dev/null; else shasum -a 256 -c - > /dev/null; fi
}

link() {
  mkdir -p "$(dirname "$2")"
  ln -sfn "$1" "$2"
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

# A file that was cut off in transit does nothing.
main
