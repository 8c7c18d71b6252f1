#!/bin/sh
# Starts and stops a private Docker engine with runc and gVisor (runsc) from Debian's packages.
#   docker.sh start DIR   installs what is missing, starts dockerd, answers when DIR/docker.sock does
#   docker.sh stop DIR    ends it by its process id and unmounts what it left
set -eu

command=$1
dir=$2
sock=$dir/docker.sock

start() {
  if ! command -v dockerd >/dev/null || ! command -v runsc >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends docker.io runc tini runsc curl >/dev/null
  fi
  mkdir -p "$dir"
  # The old gVisor release of Debian 12 runs under Docker only without its own network stack and cgroups.
  cat >"$dir/daemon.json" <<JSON
{"runtimes":{"runsc":{"path":"/usr/bin/runsc","runtimeArgs":["--network=none","--ignore-cgroups"]}}}
JSON
  dockerd --config-file "$dir/daemon.json" --data-root "$dir/data" --exec-root "$dir/exec" -H "unix://$sock" -p "$dir/docker.pid" \
    --iptables=false --ip6tables=false --bridge=none >"$dir/dockerd.log" 2>&1 &
  for _ in $(seq 1 150); do
    if curl -fs --unix-socket "$sock" http://docker/_ping >/dev/null 2>&1; then
      echo "docker: $sock"
      return 0
    fi
    sleep 0.2
  done
  echo "docker: the engine did not answer within 30 s; the end of its log:" >&2
  tail -n 20 "$dir/dockerd.log" >&2
  return 1
}

stop() {
  [ -f "$dir/docker.pid" ] || return 0
  pid=$(cat "$dir/docker.pid")
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 1 100); do
    [ -e "/proc/$pid" ] || break
    sleep 0.2
  done
  if [ -e "/proc/$pid" ]; then kill -9 "$pid"; fi
  # The engine mounts its own folder once more, and leaves that when it is ended the hard way.
  umount "$dir/data" 2>/dev/null || true
  rm -f "$dir/docker.pid"
  echo "docker: stopped"
}

case $command in
  start) start ;;
  stop) stop ;;
  *) echo "usage: docker.sh start|stop DIR" >&2; exit 2 ;;
esac
