import { enterFolder, findProgram } from "../shell/start-fragments.ts";

/**
 * What every program of a run is started through, as the run's own user. It goes to the folder, lowers the process limit, takes away the
 * variables that the image or the engine added, runs the program, and then ends whatever that left behind: `kill -9 -1` reaches every
 * process of this user but the shell itself. Its own messages go to nowhere, so that the program's streams hold the program's words alone.
 *
 * Arguments: token, root, folder, process limit, names to unset, program, arguments.
 */
export const runScript: string = `
token=$1 root=$2 folder=$3 tasks=$4 drop=$5; shift 5
exec 3>&2 2>/dev/null
umask 002
refuse() { printf '%s %s\\n' "$token" "$1" >&3; exit 127; }
${enterFolder}
ulimit -u "$tasks" || ulimit -p "$tasks"
unset $drop
${findProgram}
unset PWD OLDPWD SHLVL _
trap : INT QUIT TERM HUP
( exec 2>&3 3>&-; exec "$program" "$@" )
code=$?
kill -9 -1
exit $code
`;

/** Ends every process of a user from another group, so that they cannot reach into it, and hands the user's files to the group. Arguments: root, "share" or "". */
export const sweepScript: string = `
kill -9 -1 2>/dev/null
if [ -n "$2" ]; then find "$1" -user "$(id -u)" ! -type l -exec chmod g+rwX {} + 2>/dev/null; fi
exit 0
`;
