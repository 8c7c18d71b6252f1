/**
 * Parts that every start script shares. They expect \`refuse WORD\` to be defined, and the variables \`root\` and \`folder\` to be set;
 * what follows them is the program's name and its arguments.
 */

/** Goes to the folder, and no further than the workspace. */
export const enterFolder = `
cd -P -- "$folder" 2>/dev/null || refuse no-folder
case $PWD/ in "$root"/*) ;; *) refuse outside ;; esac
`;

/** Finds the program as the kernel would: on the path or by its place, never as a word of the shell. Leaves its path in \`program\`. */
export const findProgram = `
program=$1; shift
set -f
case $program in
  */*) ;;
  *) IFS=:; for dir in $PATH; do
       if [ -f "$dir/$program" ] && [ -x "$dir/$program" ]; then program=$dir/$program; break; fi
     done; unset IFS ;;
esac
case $program in */*) ;; *) refuse no-program ;; esac
[ -f "$program" ] || refuse no-program
[ -x "$program" ] || refuse not-executable
`;
