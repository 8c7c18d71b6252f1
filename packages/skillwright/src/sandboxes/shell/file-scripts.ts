import type { WorkspaceEntry } from "../../workspace/index.ts";

/** Deeper folders are not listed. */
const maxDepth = 64;

/** Exit codes of the scripts below. */
export const scriptExit: {
  readonly outside: 3;
  readonly missing: 4;
  readonly denied: 5;
  readonly tooLarge: 6;
} = Object.freeze({ outside: 3, missing: 4, denied: 5, tooLarge: 6 });

/**
 * Refuses what stands behind a link. Programs of the workspace may plant links, and the tools below would follow them: every part of a
 * path is looked at first, so that a name means what it says.
 */
const checkParts = `
inside() {
  case $1 in */*) ;; *) return 0 ;; esac
  rest=$1 walked=
  while :; do
    case $rest in */*) walked=$walked\${rest%%/*}; rest=\${rest#*/} ;; *) return 0 ;; esac
    if [ -L "$walked" ]; then exit ${scriptExit.outside}; fi
    walked=$walked/
  done
}
`;

/** Prints a regular file, at most so many bytes. Arguments: root, path, bytes. */
export const readScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
inside "$2"
if [ -L "$2" ]; then exit ${scriptExit.outside}; fi
[ -f "$2" ] || exit ${scriptExit.missing}
[ -r "$2" ] || exit ${scriptExit.denied}
exec head -c "$3" "./$2"
`;

/** Looks whether a regular file may be read by other means, and is no longer than so many bytes. Arguments: root, path, bytes. */
export const checkFileScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
inside "$2"
if [ -L "$2" ]; then exit ${scriptExit.outside}; fi
[ -f "$2" ] || exit ${scriptExit.missing}
[ -r "$2" ] || exit ${scriptExit.denied}
[ "$(wc -c <"./$2")" -le "$3" ] || exit ${scriptExit.tooLarge}
`;

/** Refuses folders that stand behind links, then unpacks the archive on its input. Arguments: root, folders. */
export const unpackScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
shift
for folder do
  inside "$folder/"
done
umask 002
exec tar -xmopf -
`;

/**
 * Writes folders, links and short files, each beside its place and then in one step. Arguments: root, then four for each: what it is, its
 * path, the mode or the link's target, and the bytes as octal escapes.
 */
export const putScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
shift
umask 002
while [ $# -gt 0 ]; do
  kind=$1 path=$2 detail=$3 data=$4; shift 4
  inside "$path"
  if [ $kind = folder ]; then
    if [ -L "$path" ]; then exit ${scriptExit.outside}; fi
    mkdir -p "./$path" || exit 1
    continue
  fi
  above=.
  case $path in */*) above=./\${path%/*} ;; esac
  mkdir -p "$above" || exit 1
  if [ -L "$path" ]; then rm -f "./$path"; fi
  if [ -d "$path" ]; then echo "a folder stands there" >&2; exit 1; fi
  fresh=$above/.skillwright-new
  rm -rf "$fresh"
  if [ $kind = link ]; then ln -s -- "$detail" "$fresh" || exit 1
  else { printf "$data" >"$fresh" && chmod "$detail" "$fresh"; } || exit 1
  fi
  mv -f "$fresh" "./$path" || exit 1
done
`;

/** Removes a file, a link or a folder. Arguments: root, path. */
export const removeScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
inside "$2"
rm -rf "./$2" 2>/dev/null && exit 0
chmod -R u+rwX "./$2" 2>/dev/null
exec rm -rf "./$2"
`;

/**
 * Lists what is below a folder, one record an entry, begun by a word that no file name can hold because nobody knows it: with GNU find
 * in one process, elsewhere with \`stat\`. Arguments: root, path, word.
 */
export const listScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
inside "$2"
if [ -L "$2" ]; then exit ${scriptExit.outside}; fi
[ -d "$2" ] || exit 0
if find / -maxdepth 0 -printf '' 2>/dev/null; then
  find "./$2" -mindepth 1 -maxdepth ${maxDepth} -printf "$3/%y/%s/%m/%n/%C@ %i/%p\\n" 2>/dev/null
else
  find "./$2" -mindepth 1 -maxdepth ${maxDepth} -exec stat -c "$3/%f/%s/%a/%h/%z %i/%n" {} + 2>/dev/null
fi
exit 0
`;

/** Reads what {@link listScript} printed; a record that was cut off is dropped. */
export function parseListing(output: Uint8Array, word: string, maxEntries: number): WorkspaceEntry[] {
  const text = new TextDecoder().decode(output);
  const whole = text.endsWith("\n") ? text.slice(0, -1) : text.slice(0, Math.max(0, text.lastIndexOf(`\n${word}/`)));
  const entries: WorkspaceEntry[] = [];
  for (const record of whole.split(new RegExp(`(?:^|\\n)${word}/`)).slice(1)) {
    if (entries.length >= maxEntries) break;
    const match = /^([0-9a-z]+)\/(\d+)\/([0-7]+)\/(\d+)\/([^/]*)\/([\s\S]*)$/i.exec(record);
    if (match === null) continue;
    const [, type = "", bytes = "", mode = "", links = "", stamp = "", name = ""] = match;
    const path = name.replace(/^\.\/(\.\/)?/, "");
    // A name that is no UTF-8 cannot be named again.
    const kind = path.includes("\ufffd") ? "other" : type.length === 1 ? kindOfLetter(type) : kindOfMode(Number.parseInt(type, 16));
    entries.push({
      path,
      kind,
      bytes: kind === "file" ? Number(bytes) : 0,
      mode: Number.parseInt(mode, 8),
      ...(kind === "file" && { links: Number(links) }),
      stamp: `${bytes} ${stamp}`,
    });
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** As find says it. */
function kindOfLetter(letter: string): WorkspaceEntry["kind"] {
  if (letter === "f") return "file";
  if (letter === "d") return "directory";
  return letter === "l" ? "link" : "other";
}

/** As stat says it: the mode with the kind in its upper bits. */
function kindOfMode(mode: number): WorkspaceEntry["kind"] {
  switch (mode & 0o170000) {
    case 0o100000:
      return "file";
    case 0o040000:
      return "directory";
    case 0o120000:
      return "link";
    default:
      return "other";
  }
}
