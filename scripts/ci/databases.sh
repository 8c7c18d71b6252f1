# Stores against real servers, and the crash tests at their full count.
set -u
folder=$(mktemp -d)
trap 'sh scripts/ci/redis.sh stop "$folder"; sh scripts/ci/postgres.sh stop "$folder"; rm -rf "$folder"' EXIT
sh scripts/ci/redis.sh start "$folder" && sh scripts/ci/postgres.sh start "$folder" || exit 1
export SKILLWRIGHT_REDIS="$folder/redis.sock"
export SKILLWRIGHT_POSTGRES="postgresql://skillwright@/postgres?host=$folder/postgres"
export SKILLWRIGHT_CRASHES=200
npx vitest run --config test/services/vitest.config.ts redis postgres
