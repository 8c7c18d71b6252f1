#!/bin/sh
# Starts and stops a private PostgreSQL server from Debian's package, on a socket alone.
#   postgres.sh start DIR   installs what is missing, makes a database, starts the server, answers when it takes connections
#   postgres.sh stop DIR    ends it by its process id and removes the database
# Tests find it by SKILLWRIGHT_POSTGRES="postgresql://skillwright@/postgres?host=DIR/postgres".
set -eu

command=$1
dir=$2

find_programs() { find /usr/lib/postgresql -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -V | tail -1 | xargs -r dirname; }

# PostgreSQL refuses to run as root; its package brings a user for it.
as_owner() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && runuser -u postgres -- "$@")
  else
    "$@"
  fi
}

start() {
  bin=$(find_programs)
  if [ -z "$bin" ]; then
    apt-get update -qq
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null
    bin=$(find_programs)
  fi
  mkdir -p "$dir"
  # A folder of its own, because that user may not be allowed into DIR.
  home=$(mktemp -d)
  [ "$(id -u)" != 0 ] || chown postgres "$home"
  ln -sfn "$home" "$dir/postgres"
  as_owner "$bin/initdb" -D "$home/data" -U skillwright --auth=trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  if as_owner "$bin/pg_ctl" -D "$home/data" -l "$home/log" -w -t 60 -o "-c listen_addresses='' -c unix_socket_directories='$home'" start >/dev/null; then
    echo "postgres: $dir/postgres"
    return 0
  fi
  echo "postgres: the server did not start; the end of its log:" >&2
  tail -20 "$home/log" >&2
  stop
  return 1
}

stop() {
  [ -L "$dir/postgres" ] || return 0
  home=$(readlink "$dir/postgres")
  # pg_ctl reads the process id that the server wrote into its data folder.
  as_owner "$(find_programs)/pg_ctl" -D "$home/data" -m fast -w -t 30 stop >/dev/null 2>&1 || true
  rm -rf "$home" "$dir/postgres"
}

case $command in
  start) start ;;
  stop) stop ;;
  *)
    echo "postgres.sh: say start DIR or stop DIR" >&2
    exit 2
    ;;
esac
