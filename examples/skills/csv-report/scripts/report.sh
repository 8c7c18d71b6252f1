#!/bin/bash
# Totals, averages and sums by group for a CSV file.
set -u

usage="Usage: bash scripts/report.sh <csv_file> [--group <column>] [--value <column>]"
here=$(dirname "$0")
file=""
group=""
value=""

while [ $# -gt 0 ]; do
  case "$1" in
    --group | --value)
      if [ $# -lt 2 ]; then
        echo "report.sh: $1 needs the name of a column." >&2
        echo "$usage" >&2
        exit 2
      fi
      if [ "$1" = --group ]; then group=$2; else value=$2; fi
      shift 2
      ;;
    -h | --help)
      echo "$usage"
      exit 0
      ;;
    -*)
      echo "report.sh: unknown option $1." >&2
      echo "$usage" >&2
      exit 2
      ;;
    *)
      if [ -n "$file" ]; then
        echo "report.sh: one file at a time; \"$1\" is one too many." >&2
        exit 2
      fi
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
  echo "report.sh: there is no file \"$file\"; give the path of a CSV file." >&2
  exit 2
fi
if [ ! -s "$file" ]; then
  echo "report.sh: \"$file\" is empty; give a CSV file with a header row." >&2
  exit 1
fi

report="${OUTPUT_DIR:-.}/report.md"
summary=$(GROUP="$group" VALUE="$value" NAME="${file##*/}" awk "$(cat "$here/table.awk")" "$file") || {
  [ -n "$summary" ] && echo "$summary" >&2
  exit 1
}

echo "$summary"
{
  echo "# Report on ${file##*/}"
  echo
  echo '```'
  echo "$summary"
  echo '```'
} > "$report" || {
  echo "report.sh: the report could not be written to $report." >&2
  exit 1
}
echo
echo "Full report: report.md"
