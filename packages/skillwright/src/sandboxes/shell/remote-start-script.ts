import { enterFolder, findProgram } from "./start-fragments.ts";

/**
 * What a program is started through on a machine elsewhere: lowers the limits of one process, goes to the folder and becomes the program.
 * Arguments: token, root, folder, processor seconds, blocks of 512 bytes a file may have, program, arguments.
 */
export const remoteStartScript: string = `
token=$1 root=$2 folder=$3 cpu=$4 blocks=$5; shift 5
refuse() { printf '%s %s\\n' "$token" "$1" >&2; exit 127; }
umask 022
{ ulimit -c 0; ulimit -S -t "$cpu"; ulimit -H -t "$((cpu+2))"; ulimit -f "$blocks"; } 2>/dev/null
${enterFolder}
${findProgram}
unset PWD OLDPWD SHLVL _ token root folder cpu blocks dir
exec "$program" "$@"
`;

/** The variable by which processes of one run are found again. */
export const remoteRunMark = "SKILLWRIGHT_RUN";

/** Ends what still carries a run's mark, where the machine lists its processes as Linux does. Argument: the mark. */
export const remoteSweepScript: string = `
for round in 1 2 3; do
  found=
  for file in $(grep -lF -- "${remoteRunMark}=$1" /proc/[0-9]*/environ 2>/dev/null); do
    process=\${file#/proc/}
    kill -9 "\${process%/environ}" 2>/dev/null && found=yes
  done
  [ -n "$found" ] || exit 0
done
`;
