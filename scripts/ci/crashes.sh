# A process killed at 200 random points loses nothing that was acknowledged.
set -u
SKILLWRIGHT_CRASHES=200 npx vitest run test/stores/crash.test.ts test/session/crash.test.ts -t "acknowledged"
