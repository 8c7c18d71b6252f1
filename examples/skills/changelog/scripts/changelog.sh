#!/bin/bash
# Groups the commits of a git log into a changelog.
set -u

usage="Usage: bash scripts/changelog.sh <git_log> [--title <version>]"
here=$(dirname "$0")
file=""
title="Unreleased"

while [ $# -gt 0 ]; do
  case "$1" in
    --title)
      if [ $# -lt 2 ]; then
        echo "changelog.sh: --title needs a text such as 1.4.0." >&2
        exit 2
      fi
      title=$2
      shift 2
      ;;
    -h | --help)
      echo "$usage"
      exit 0
      ;;
    -*)
      echo "changelog.sh: unknown option $1." >&2
      echo "$usage" >&2
      exit 2
      ;;
    *)
      file=$1
      shift
      ;;
  esac
done

if [ -z "$file" ]; then
  echo "$usage" >&2
  exit 2
fi
if [ ! -f "$file" ]; then
  echo "changelog.sh: there is no file \"$file\"; save the output of git log in a file and give its path." >&2
  exit 2
fi

changelog="${OUTPUT_DIR:-.}/CHANGELOG.md"
text=$(TITLE="$title" awk "$(cat "$here/commits.awk")" "$file") || {
  echo "changelog.sh: no commit was found in \"$file\"; it should hold what git log or git log --oneline printed." >&2
  exit 1
}

echo "$text" > "$changelog" || {
  echo "changelog.sh: the changelog could not be written to $changelog." >&2
  exit 1
}
echo "$text"
