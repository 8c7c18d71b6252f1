#!/bin/sh
# Makes the two images that the container tests run in, without a registry, and loads them into an engine.
#   image.sh DIR SOCKET   skillwright-test:busybox (2 MB) and skillwright-test:debian (with python3)
# DIR keeps the two archives for the next engine.
set -eu

dir=$1
sock=$2

mkdir -p "$dir"

if [ ! -f "$dir/busybox.tar" ]; then
  command -v busybox >/dev/null || apt-get install -y -qq --no-install-recommends busybox-static >/dev/null
  root=$(mktemp -d)
  mkdir -p "$root/bin" "$root/tmp" "$root/etc" "$root/proc" "$root/sys" "$root/dev"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for applet in $(busybox --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
  done
  tar -C "$root" -cf "$dir/busybox.tar.part" .
  mv "$dir/busybox.tar.part" "$dir/busybox.tar"
  rm -rf "$root"
fi

# A Debian userland from this machine's own packages: the tools that scripts expect, Python, and the libraries they load.
if [ ! -f "$dir/debian.tar" ]; then
  root=$(mktemp -d)
  mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/etc" "$root/tmp" "$root/proc" "$root/sys" "$root/dev"
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  list=$(mktemp)
  dpkg -L dash bash coreutils findutils tar grep sed mawk util-linux procps libc6 | grep -E '^(/usr)?/(bin|sbin|lib|lib64)/' | grep -v /gconv/ >"$list"
  find /usr/lib/python3.* -not -path '*/test/*' -not -path '*/__pycache__/*' -not -path '*/config-*' >>"$list"
  for tool in python3 awk; do
    echo "/usr/bin/$tool" >>"$list"
    readlink -f "/usr/bin/$tool" >>"$list"
    readlink "/usr/bin/$tool" | grep '^/' >>"$list" || true
  done
  grep -E '/s?bin/|\.so(\.|$)' "$list" | xargs ldd 2>/dev/null | grep -o ' /[^ ]*' | sort -u | while read -r library; do
    echo "$library"
    readlink -f "$library"
  done >"$list.libraries"
  cat "$list" "$list.libraries" | sort -u | while read -r path; do
    [ -d "$path" ] && [ ! -L "$path" ] || echo "$path"
  done | tar --no-recursion -cf - -T - 2>/dev/null | tar -C "$root" -xf -
  [ -e "$root/usr/bin/sh" ] || ln -s dash "$root/usr/bin/sh"
  tar -C "$root" -cf "$dir/debian.tar.part" .
  mv "$dir/debian.tar.part" "$dir/debian.tar"
  rm -rf "$root" "$list" "$list.libraries"
fi

# Podman imports without a name, so both engines are told the name in a second step.
for name in busybox debian; do
  curl -fsS --unix-socket "$sock" -X POST -H "Content-Type: application/x-tar" --data-binary "@$dir/$name.tar" \
    "http://engine/images/create?fromSrc=-" >"$dir/$name.log" || { cat "$dir/$name.log" >&2; exit 1; }
  id=$(grep -o 'sha256:[0-9a-f]*' "$dir/$name.log" | tail -n 1) || { cat "$dir/$name.log" >&2; exit 1; }
  curl -fsS --unix-socket "$sock" -o /dev/null -X POST "http://engine/images/$id/tag?repo=docker.io/library/skillwright-test&tag=$name"
  echo "image: skillwright-test:$name"
done
