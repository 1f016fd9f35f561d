#!/bin/sh
# Installs svc and svc-sim of the release next to this script, without root:
#
#   sh install.sh --from URL-OR-DIRECTORY [--to DIRECTORY]
#
# --from: the directory or URL with the archives and SHA256SUMS (default: the directory of this script).
# A URL is https://, or http://127.0.0.1 on this machine. --to: the directory for the programs (default:
# ~/.local/bin); completions, the manual page and the guide go to ../share next to it. Nothing is installed before
# the archive matches SHA256SUMS, and SHA256SUMS is signed with a key that this script carries. ssh-keygen or openssl
# checks the signature; --signed: stop if this machine has neither.
set -eu

# The keys that sign releases, as release/signing-keys has them, separated by blanks.
keys=''

fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

from=$(dirname "$0")
to=${HOME:?}/.local/bin
must_check=
while [ $# -gt 0 ]; do
  case $1 in
    --from | --to)
      [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value"
      if [ "$1" = --from ]; then from=$2; else to=$2; fi
      shift 2 ;;
    --signed) must_check=1; shift ;;
    --help | -h) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "unknown argument $1; run with --help" ;;
  esac
done

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) fail "this script does not support $(uname -s); unpack the right archive by hand" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) fail "there is no archive for $(uname -m)" ;;
esac
libc=
if [ "$system" = linux ]; then
  # Bun, which svc is built with, needs /proc, and its own text does not say so.
  [ -e /proc/self/exe ] || fail "svc needs /proc, which is not mounted here; nothing was installed"
  # A system may have both C libraries; ldd is of the one that its programs use.
  case $(ldd --version 2>&1 || true) in
    *musl*) libc=-musl ;;
    *[Gg][Ll][Ii][Bb][Cc]* | *GNU*) ;;
    *) for loader in /lib/ld-musl-*; do [ -e "$loader" ] && libc=-musl; done ;;
  esac
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Only the address of this machine, with or without a port: http://localhost.example.org and
# http://localhost@example.org are elsewhere.
is_loopback() {
  authority=${1#http://}
  authority=${authority%%[/?#]*}
  case $authority in *[!][:.0-9a-z]*) return 1 ;; esac
  case $authority in
    127.0.0.1 | localhost | "[::1]") return 0 ;;
    127.0.0.1:* | localhost:* | "[::1]:"*) ;;
    *) return 1 ;;
  esac
  case ${authority##*:} in "" | *[!0-9]*) return 1 ;; esac
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 2 --proto "=$1" --proto-redir =https \
      -o "$3" "$2"
  elif wget --help 2>&1 | grep -q -e --max-redirect; then
    # wget would follow a redirect from https to http.
    wget -q --max-redirect=0 -O "$3" "$2"
  else fail "curl is needed"
  fi
}

fetch() {
  case $from in
    https://*) download https "$from/$1" "$scratch/$1" ;;
    http://*)
      is_loopback "$from" || fail "$from is not https"
      download http "$from/$1" "$scratch/$1" ;;
    *) cp "$from/$1" "$scratch/$1" ;;
  esac || fail "cannot get $from/$1${2:+: $2}"
}

# The bytes that the signature is for (PROTOCOL.sshsig of OpenSSH).
signed_bytes() {
  printf 'SSHSIG\000\000\000\013svc-release\000\000\000\000\000\000\000\006sha512\000\000\000\100'
  openssl dgst -sha512 -binary "$scratch/SHA256SUMS"
}

# unchecked WHY: the signature cannot be checked here.
unchecked() {
  [ -z "$must_check" ] || fail "the signature cannot be checked: $1; nothing was installed"
  printf 'install.sh: warning: the signature was not checked: %s\n' "$1" >&2
}

check_signature() {
  if [ -z "$keys" ]; then unchecked "this script carries no key"; return; fi
  fetch SHA256SUMS.sig "the release must have a signature"
  sed '/^-----/d' "$scratch/SHA256SUMS.sig" | tr -d '\r\n' | base64 -d >"$scratch/blob" 2>/dev/null ||
    fail "SHA256SUMS.sig is not a signature of ssh-keygen; nothing was installed"
  # The public key begins at byte 14 and has 51 bytes.
  signer=$(dd if="$scratch/blob" bs=1 skip=14 count=51 2>/dev/null | base64 | tr -d '\n')
  case " $keys " in
    *" $signer "*) ;;
    *) fail "SHA256SUMS is signed with another key, $signer; nothing was installed" ;;
  esac
  if command -v ssh-keygen >/dev/null && ! ssh-keygen -Y x 2>&1 | grep -qi 'unknown option\|illegal option'; then
    printf 'svc-release namespaces="svc-release" ssh-ed25519 %s\n' "$signer" >"$scratch/signers"
    said=$(ssh-keygen -Y verify -f "$scratch/signers" -I svc-release -n svc-release \
      -s "$scratch/SHA256SUMS.sig" <"$scratch/SHA256SUMS" 2>&1) ||
      fail "SHA256SUMS does not match its signature, says ssh-keygen: $said; nothing was installed"
  elif openssl pkeyutl -help 2>&1 | grep -q -e -rawin; then
    signed_bytes >"$scratch/signed"
    { printf '\060\052\060\005\006\003\053\145\160\003\041\000'
      dd if="$scratch/blob" bs=1 skip=33 count=32 2>/dev/null; } >"$scratch/key"
    tail -c 64 "$scratch/blob" >"$scratch/signature"
    openssl pkeyutl -verify -pubin -keyform DER -inkey "$scratch/key" -rawin -in "$scratch/signed" \
      -sigfile "$scratch/signature" >/dev/null 2>&1 ||
      fail "SHA256SUMS does not match its signature; nothing was installed"
  else unchecked "this machine has neither ssh-keygen nor openssl 3 (it names a key that this script knows)"
  fi
}

fetch SHA256SUMS
check_signature
# The root file system of the image has a name that ends in the same way.
name=$(sed -n "s/^[0-9a-f]\{64\}  \(svc-[0-9][^/ ]*-$system-$machine$libc\.tar\.gz\)\$/\1/p" \
  "$scratch/SHA256SUMS" | grep -v -e "-rootfs-$system-$machine$libc\.tar\.gz\$" || true)
[ -n "$name" ] || fail "SHA256SUMS of $from has no archive for $system-$machine$libc"
[ "$(printf '%s\n' "$name" | wc -l)" -eq 1 ] || fail "SHA256SUMS of $from has several archives: $name"
fetch "$name"

if command -v sha256sum >/dev/null; then sum="sha256sum"; else sum="shasum -a 256"; fi
(cd "$scratch" && grep "  $name\$" SHA256SUMS | $sum -c - >/dev/null) ||
  fail "$name does not match SHA256SUMS; nothing was installed"

tar -xzf "$scratch/$name" -C "$scratch"
unpacked=$scratch/${name%.tar.gz}
# The first line is enough: a loader that lacks a library prints dozens.
said=$("$unpacked/svc" --version 2>&1 >/dev/null) || {
  said=${said%%"
"*}
  if [ -n "$libc" ]; then fail "svc does not run on this machine; on Alpine run: apk add libstdc++ (nothing was installed): $said"; fi
  fail "svc does not run on this machine; nothing was installed: $said"
}

share=$(dirname "$to")/share
# Copies to a new name, then renames: an svc that is running keeps its file.
put() {
  mkdir -p "$(dirname "$2")"
  cp "$1" "$2.new"
  mv -f "$2.new" "$2"
}
put "$unpacked/svc-sim" "$to/svc-sim"
put "$unpacked/svc-sim-recording" "$to/svc-sim-recording"
put "$unpacked/svc" "$to/svc"
put "$unpacked/pkcs11.node" "$to/pkcs11.node"
# svc makes reports that replay themselves from this page.
if [ -e "$unpacked/svc.html" ]; then put "$unpacked/svc.html" "$to/svc.html"; fi
# stellar-cli runs `stellar svc` as this.
ln -sf svc "$to/stellar-svc"
put "$unpacked/man/svc.1" "$share/man/man1/svc.1"
put "$unpacked/completions/svc.bash" "$share/bash-completion/completions/svc"
put "$unpacked/completions/_svc" "$share/zsh/site-functions/_svc"
put "$unpacked/completions/svc.fish" "$share/fish/vendor_completions.d/svc.fish"
# The guide and the examples replace those of an older version.
guide=$share/doc/svc
rm -rf "$guide.new"
mkdir -p "$guide.new"
for each in README.md CHANGELOG.md LICENSE THIRD-PARTY-LICENSES.txt docs examples schemas release; do
  if [ -e "$unpacked/$each" ]; then cp -R "$unpacked/$each" "$guide.new/"; fi
done
rm -rf "$guide"
mv "$guide.new" "$guide"

"$to/svc" --version
printf 'The guide is in %s.\n' "$guide/docs"
case :$PATH: in
  *":$to:"*) ;;
  *) printf 'svc is not on PATH yet. Run this, and add the line to the profile of your shell:\n\n  export PATH="%s:$PATH"\n\n' "$to" ;;
esac
echo 'Begin with: svc demo'
