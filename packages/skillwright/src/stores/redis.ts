import type { SessionStore } from "../session/index.ts";
import { decodeKey, encodeKey, sortFacts } from "./wire/fact-key.ts";
import { guarded } from "./wire/store-failure.ts";

/** Sends one command with its arguments and answers Redis's reply. */
export type RedisCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** A connected client: node-redis (`sendCommand`), ioredis (`call`), or one function for any other client or a cluster. */
export type RedisClient =
  | RedisCommand
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(command: string[]): Promise<unknown> };

// One hash a session: the field `revision`, and a field `fact:<key>` a fact that holds `<version> <JSON>`.
// A script runs alone, so what it checked still holds when it writes.
const setScript = `
  local current = redis.call('HGET', KEYS[1], ARGV[1])
  local version = current and string.match(current, '^%d+') or '0'
  if ARGV[3] ~= '' and ARGV[3] ~= version then return false end
  local revision = redis.call('HINCRBY', KEYS[1], 'revision', 1)
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', revision) .. ARGV[2])
  return revision`;

const removeScript = `
  local current = redis.call('HGET', KEYS[1], ARGV[1])
  if not current or (ARGV[2] ~= '' and ARGV[2] ~= string.match(current, '^%d+')) then return 0 end
  redis.call('HINCRBY', KEYS[1], 'revision', 1)
  return redis.call('HDEL', KEYS[1], ARGV[1])`;

const listScript = `
  local found = {}
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, #ARGV[1]) == ARGV[1] then
      found[#found + 1] = field
      found[#found + 1] = redis.call('HGET', KEYS[1], field)
    end
  end
  return found`;

const hint = "Check that the Redis server is reachable, that the client is connected, and that it may run EVAL and the hash commands.";

/**
 * A {@link SessionStore} in Redis, or a server that speaks its protocol: one hash a session, at `skillwright:session:<id>`.
 * The client stays the host's own to close; how long Redis keeps an acknowledged write is its own persistence setting.
 * @throws SkillError `store-failed` from every operation that the server or the connection refuses
 */
export function redisStore(client: RedisClient): SessionStore {
  const command = toCommand(client);
  const run = <T>(work: () => Promise<T>): Promise<T> => guarded("Redis session store", hint, work);
  const hash = (sessionId: string) => `skillwright:session:${encodeKey(sessionId)}`;
  const field = (key: string) => `fact:${encodeKey(key)}`;
  const script = (text: string, sessionId: string, ...args: string[]) => command("EVAL", text, "1", hash(sessionId), ...args);

  return {
    list: (sessionId, prefix) =>
      run(async () => {
        const found = (await script(listScript, sessionId, field(prefix))) as readonly unknown[];
        const facts = [];
        for (let at = 0; at < found.length; at += 2) facts.push(readFact(String(found[at]).slice("fact:".length), found[at + 1]));
        return sortFacts(facts);
      }),
    get: (sessionId, key) =>
      run(async () => {
        const kept = await command("HGET", hash(sessionId), field(key));
        return kept === null ? undefined : readFact(encodeKey(key), kept);
      }),
    set: (sessionId, key, value, { expected } = {}) =>
      run(async () => {
        const version = await script(
          setScript,
          sessionId,
          field(key),
          JSON.stringify(value),
          expected === undefined ? "" : String(expected),
        );
        return version === null ? undefined : Number(version);
      }),
    remove: (sessionId, key, { expected } = {}) =>
      run(async () => Number(await script(removeScript, sessionId, field(key), expected === undefined ? "" : String(expected))) === 1),
    revision: (sessionId) => run(async () => Number((await command("HGET", hash(sessionId), "revision")) ?? 0)),
    clear: (sessionId) =>
      run(async () => {
        await command("DEL", hash(sessionId));
      }),
  };
}

function readFact(key: string, kept: unknown) {
  const text = String(kept);
  const space = text.indexOf(" ");
  return { key: decodeKey(key), value: JSON.parse(text.slice(space + 1)), version: Number(text.slice(0, space)) };
}

function toCommand(client: RedisClient): RedisCommand {
  if (typeof client === "function") return client;
  // ioredis has a method `sendCommand` as well, which takes something else; so `call` is looked for first.
  if ("call" in client) return (command, ...args) => client.call(command, ...args);
  return (command, ...args) => client.sendCommand([command, ...args]);
}
