#!/bin/sh
# Installs Docker, Podman and gVisor from Debian's packages, starts private engines, makes the test images, runs the tests and the
# measurement on them, and stops the engines again, whatever happened. Needs root. The last line is `N passed, N failed`.
set -eu

cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
here=scripts/ci

cleanup() {
  $here/docker.sh stop "$dir/docker" >&2 || true
  $here/podman.sh stop "$dir/podman" >&2 || true
  # Overlay mounts may take a moment to go after an engine has stopped.
  for _ in 1 2 3 4 5; do
    rm -rf "$dir" 2>/dev/null && return 0
    sleep 1
  done
  echo "containers: $dir could not be removed" >&2
}
trap cleanup EXIT

apt-get update -qq
apt-get install -y -qq --no-install-recommends docker.io runc tini runsc podman conmon busybox-static procps curl python3 >/dev/null
$here/docker.sh start "$dir/docker"
$here/podman.sh start "$dir/podman"
$here/image.sh "$dir/images" "$dir/docker/docker.sock"
$here/image.sh "$dir/images" "$dir/podman/podman.sock"

export SKILLWRIGHT_DOCKER_SOCKET="$dir/docker/docker.sock"
export SKILLWRIGHT_RUNSC_SOCKET="$dir/docker/docker.sock"
export SKILLWRIGHT_PODMAN_SOCKET="$dir/podman/podman.sock"
export SKILLWRIGHT_PODMAN_COMMAND="$here/podman.sh exec $dir/podman"

code=0
npx vitest run --config test/services/vitest.config.ts test/services/container- >"$dir/tests.log" 2>&1 || code=$?
cat "$dir/tests.log"
npx node bench/container.ts || code=1
# Said last, so that whoever adds up parts finds it.
tail -n 1 "$dir/tests.log"
exit $code
