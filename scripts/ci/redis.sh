#!/bin/sh
# Starts and stops a private Redis server from Debian's package, on a socket alone.
#   redis.sh start DIR   installs what is missing, starts the server, answers when DIR/redis.sock does
#   redis.sh stop DIR    ends it by its process id
# Tests find it by SKILLWRIGHT_REDIS=DIR/redis.sock.
set -eu

command=$1
dir=$2
sock=$dir/redis.sock

start() {
  if ! command -v redis-server >/dev/null; then
    apt-get update -qq
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server >/dev/null
  fi
  mkdir -p "$dir"
  redis-server --port 0 --unixsocket "$sock" --unixsocketperm 700 --dir "$dir" --pidfile "$dir/redis.pid" --logfile "$dir/redis.log" \
    --save '' --appendonly yes --daemonize yes
  for _ in $(seq 1 150); do
    if redis-cli -s "$sock" ping >/dev/null 2>&1; then
      echo "redis: $sock"
      return 0
    fi
    sleep 0.2
  done
  echo "redis: the server did not answer within 30 s; the end of its log:" >&2
  tail -20 "$dir/redis.log" >&2
  stop
  return 1
}

stop() {
  [ -f "$dir/redis.pid" ] || return 0
  pid=$(cat "$dir/redis.pid")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 1 50); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
  rm -rf "$dir/redis.pid" "$dir/redis.log" "$dir/appendonlydir" "$sock"
}

case $command in
  start) start ;;
  stop) stop ;;
  *)
    echo "redis.sh: say start DIR or stop DIR" >&2
    exit 2
    ;;
esac
