import { enterFolder, findProgram } from "../shell/start-fragments.ts";

/**
 * What a program is started through inside the sandbox. Its arguments come as variables, because the runtime takes one shell line and
 * quotes it several times over. It takes away what the runtime added, lowers the limits, goes to the folder and becomes the program.
 * The runtime's proxies are left in place only for runs that may reach a host, by number: the host's list of names is hidden.
 */
const startScript = `
count=$SKILLWRIGHT_COUNT; unset SKILLWRIGHT_COUNT SKILLWRIGHT_SCRIPT
set --
number=0
while [ "$number" -lt "$count" ]; do
  eval "set -- \\"\\$@\\" \\"\\$SKILLWRIGHT_ARGUMENT_$number\\"; unset SKILLWRIGHT_ARGUMENT_$number"
  number=$((number+1))
done
token=$1 root=$2 folder=$3 temporary=$4 network=$5 cpu=$6 blocks=$7 memory=$8 tasks=$9; shift 9
refuse() { printf '%s %s\\n' "$token" "$1" >&2; exit 127; }
umask 022
TMPDIR=$temporary; export TMPDIR
unset SANDBOX_RUNTIME JAVA_TOOL_OPTIONS CLAUDE_CODE_HOST_HTTP_PROXY_PORT CLAUDE_CODE_HOST_SOCKS_PROXY_PORT GIT_SSH_COMMAND
proxies="HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY GRPC_PROXY http_proxy https_proxy all_proxy ftp_proxy grpc_proxy"
if [ "$network" = none ]; then
  unset $proxies NO_PROXY no_proxy RSYNC_PROXY DOCKER_HTTP_PROXY DOCKER_HTTPS_PROXY GIT_CONFIG_PARAMETERS
  unset CLOUDSDK_PROXY_TYPE CLOUDSDK_PROXY_ADDRESS CLOUDSDK_PROXY_PORT CLOUDSDK_PROXY_USERNAME CLOUDSDK_PROXY_PASSWORD
else
  for name in $proxies; do
    eval "value=\\$$name"
    case $value in *localhost:*) eval "$name=\\\${value%localhost:*}127.0.0.1:\\\${value##*localhost:}" ;; esac
  done
fi
ulimit -c 0
ulimit -S -t "$cpu"; ulimit -H -t "$((cpu+2))"
ulimit -f "$blocks"
{ ulimit -d "$memory"; ulimit -n 1024; } 2>/dev/null
if [ "$tasks" -gt 0 ]; then { ulimit -u "$tasks" || ulimit -p "$tasks"; } 2>/dev/null; fi
${enterFolder}
${findProgram}
unset PWD OLDPWD SHLVL _ token root temporary network cpu blocks memory tasks count number dir proxies name value
exec "$program" "$@"
`;

/** What the runtime is asked to run; it never changes, so that nothing of a run has to be quoted. */
export const startLine = 'exec /bin/sh -c "$SKILLWRIGHT_SCRIPT"';

/** The variables that carry a program's arguments to {@link startScript}. */
export function startVariables(values: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = { SKILLWRIGHT_SCRIPT: startScript, SKILLWRIGHT_COUNT: String(values.length) };
  for (const [index, value] of values.entries()) variables[`SKILLWRIGHT_ARGUMENT_${index}`] = value;
  return variables;
}
