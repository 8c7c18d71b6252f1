#!/bin/sh
# Starts and stops a private Podman service (Docker-compatible socket) from Debian's packages.
#   podman.sh start DIR   installs what is missing, starts the service, answers when DIR/podman.sock does
#   podman.sh stop DIR    removes its containers and ends it by its process id
#   podman.sh exec DIR ARGV...   the podman command on the same storage
set -eu

command=$1
dir=$2
shift 2
sock=$dir/podman.sock

podman_here() {
  CONTAINERS_CONF=$dir/containers.conf podman --root "$dir/root" --runroot "$dir/run" "$@"
}

start() {
  if ! command -v podman >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends podman runc conmon curl >/dev/null
  fi
  mkdir -p "$dir"
  # runc and modest default limits: crun refuses hybrid cgroups, and raising limits needs a capability that many machines withhold.
  cat >"$dir/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=1024:4096", "nproc=4096:8192"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
  # The shell of the background becomes podman, so that the process id is podman's own.
  (
    CONTAINERS_CONF=$dir/containers.conf
    export CONTAINERS_CONF
    exec podman --root "$dir/root" --runroot "$dir/run" system service --time 0 "unix://$sock" >"$dir/podman.log" 2>&1
  ) &
  echo $! >"$dir/podman.pid"
  for _ in $(seq 1 150); do
    if curl -fs --unix-socket "$sock" http://podman/_ping >/dev/null 2>&1; then
      echo "podman: $sock"
      return 0
    fi
    sleep 0.2
  done
  echo "podman: the service did not answer within 30 s; the end of its log:" >&2
  tail -n 20 "$dir/podman.log" >&2
  return 1
}

stop() {
  [ -f "$dir/podman.pid" ] || return 0
  podman_here rm --all --force >/dev/null 2>&1 || true
  pid=$(cat "$dir/podman.pid")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 1 50); do
    [ -e "/proc/$pid" ] || break
    sleep 0.2
  done
  if [ -e "/proc/$pid" ]; then kill -9 "$pid"; fi
  rm -f "$dir/podman.pid"
  echo "podman: stopped"
}

case $command in
  start) start ;;
  stop) stop ;;
  exec) podman_here "$@" ;;
  *) echo "usage: podman.sh start|stop|exec DIR" >&2; exit 2 ;;
esac
