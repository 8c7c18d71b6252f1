import type { WorkspaceEntry } from "../../workspace/index.ts";

/** Deeper folders are not listed. */
const maxDepth = 64;

/** Exit codes of the scripts below. */
export const scriptExit: { readonly outside: 3; readonly missing: 4; readonly denied: 5 } = Object.freeze({
  outside: 3,
  missing: 4,
  denied: 5,
});

/**
 * Refuses what stands behind a link. Programs of the workspace may plant links, and the tools below would follow them: every part of a
 * path is looked at first, so that a name means what it says. The last part is looked at where \`strict\` says so.
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

/** Removes a file, a link or a folder. Arguments: root, path. */
export const removeScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
inside "$2"
rm -rf "./$2" 2>/dev/null && exit 0
chmod -R u+rwX "./$2" 2>/dev/null
exec rm -rf "./$2"
`;

/**
 * Lists what is below a folder. With GNU find one record of NUL-ended fields an entry; elsewhere one line an entry, begun by a word that
 * no file name can hold because nobody knows it. Arguments: root, path, word.
 */
export const listScript: string = `${checkParts}
cd -- "$1" || exit ${scriptExit.missing}
inside "$2"
if [ -L "$2" ]; then exit ${scriptExit.outside}; fi
[ -d "$2" ] || exit 0
if find / -maxdepth 0 -printf '' 2>/dev/null; then
  find "./$2" -mindepth 1 -maxdepth ${maxDepth} -printf '%y\\0%s\\0%m\\0%n\\0%C@ %i\\0%p\\0' 2>/dev/null
else
  find "./$2" -mindepth 1 -maxdepth ${maxDepth} -exec stat -c "$3/%f/%s/%a/%h/%z %i/%n" {} + 2>/dev/null
fi
exit 0
`;

/** Reads what {@link listScript} printed; a record that was cut off is dropped. */
export function parseListing(output: Uint8Array, word: string, maxEntries: number): WorkspaceEntry[] {
  const text = new TextDecoder().decode(output);
  const records = text.startsWith(`${word}/`) ? lineRecords(text, word) : fieldRecords(text);
  const entries: WorkspaceEntry[] = [];
  for (const [kind, bytes, mode, links, stamp, name] of records) {
    if (entries.length >= maxEntries) break;
    const path = name.replace(/^\.\/(\.\/)?/, "");
    // A name that is no UTF-8 cannot be named again.
    const known = path.includes("\ufffd") ? "other" : kind;
    entries.push({
      path,
      kind: known,
      bytes: known === "file" ? Number(bytes) : 0,
      mode: Number.parseInt(mode, 8),
      ...(known === "file" && { links: Number(links) }),
      stamp: `${bytes} ${stamp}`,
    });
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

type Fields = readonly [WorkspaceEntry["kind"], string, string, string, string, string];

function fieldRecords(text: string): Fields[] {
  const fields = text.split("\0");
  const records: Fields[] = [];
  for (let at = 0; at + 6 < fields.length; at += 6) {
    const [kind = "", bytes = "", mode = "", links = "", stamp = "", name = ""] = fields.slice(at, at + 6);
    records.push([kind === "f" ? "file" : kind === "d" ? "directory" : kind === "l" ? "link" : "other", bytes, mode, links, stamp, name]);
  }
  return records;
}

function lineRecords(text: string, word: string): Fields[] {
  const records: Fields[] = [];
  const whole = text.endsWith("\n") ? text.slice(0, -1) : text.slice(0, Math.max(0, text.lastIndexOf(`\n${word}/`)));
  for (const record of whole.split(new RegExp(`(?:^|\\n)${word}/`)).slice(1)) {
    const match = /^([0-9a-f]+)\/(\d+)\/([0-7]+)\/(\d+)\/([^/]*)\/([\s\S]*)$/.exec(record);
    if (match === null) continue;
    const [, raw = "", bytes = "", mode = "", links = "", stamp = "", name = ""] = match;
    records.push([kindOfMode(Number.parseInt(raw, 16)), bytes, mode, links, stamp, name]);
  }
  return records;
}

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
