import type { StorageName } from '@latchhook/core/storage';
import type { RedisClient } from './redis-client.ts';

/** By command, the arguments after the key in its probe. They are harmless for a key of any type. */
type Probes = Readonly<Record<string, readonly string[]>>;

/** The commands of the scripts of sessions, challenges and counters, except those of {@link CLEANING}. */
const COMMON: Probes = {
  SET: ['0'],
  GET: [],
  INCRBY: ['1'],
  EXISTS: [],
  PTTL: [],
  HGET: ['f'],
  HMGET: ['f'],
  HSET: ['f', '0'],
  HDEL: ['f'],
  HEXISTS: ['f'],
  HINCRBY: ['f', '1'],
  ZADD: ['0', 'm'],
  ZCOUNT: ['0', '0'],
  ZRANGE: ['0', '0'],
  ZREVRANGE: ['0', '0'],
  ZRANGEBYSCORE: ['0', '0'],
  ZREM: ['m'],
  ZREMRANGEBYSCORE: ['0', '0'],
  ZSCORE: ['m'],
  EXPIRE: ['1'],
};

/** The commands that the scripts of personal access tokens and factors call in addition to the common ones. */
const CREDENTIALS: Probes = { SADD: ['m'], SCARD: [], SREM: ['m'], HKEYS: [] };

/** The commands that the scripts of webhooks and deliveries call in addition to the common ones. */
const WEBHOOKS: Probes = {
  GETRANGE: ['0', '0'],
  HVALS: [],
  INCR: [],
  LINDEX: ['0'],
  LLEN: [],
  LPOP: [],
  LRANGE: ['0', '0'],
  LTRIM: ['0', '0'],
  MGET: [],
  PUBLISH: ['m'],
  RPUSH: ['e'],
  SADD: ['m'],
  SMISMEMBER: ['m'],
  SREM: ['m'],
  UNLINK: [],
  ZCARD: [],
  ZMSCORE: ['m'],
  ZPOPMIN: [],
};

/** Scripts call these commands too. They are probed last, so that they delete the key that other probes create. */
const CLEANING: Probes = { PEXPIRE: ['1000'], DEL: [] };

/** The commands that these parts of the storage call in scripts. */
export function probesOf(parts: readonly StorageName[]): Probes {
  const has = (...names: readonly StorageName[]) => names.some((name) => parts.includes(name));
  return {
    ...COMMON,
    ...(has('personalAccessTokens', 'mfa') ? CREDENTIALS : {}),
    ...(has('webhooks', 'deliveries') ? WEBHOOKS : {}),
    ...CLEANING,
  };
}

/**
 * Calls each command on the key and returns those that an ACL rejects. ARGV: for each command its name, the number of
 * its arguments after the key, and these. Most commands fail because the key has another type, but Redis checks the ACL
 * first. The error of an ACL is `ACL failure in script: ...` since Redis 7; before that it is `NOPERM ...`, or has
 * `can't run this command` or `can't access at least one of the keys`.
 */
const TRY_EACH = `
local rejected = {}
local at = 1
while at <= #ARGV do
  local name, count = ARGV[at], tonumber(ARGV[at + 1])
  local reply = redis.pcall(name, KEYS[1], unpack(ARGV, at + 2, at + 1 + count))
  local failure = type(reply) == 'table' and reply.err or ''
  if failure:find('NOPERM') or failure:find('ACL') or failure:find("can't run this command")
    or failure:find("can't access") then
    rejected[#rejected + 1] = name
  end
  at = at + 2 + count
end
return rejected
`;

/** The commands that the role of this client may not call on this key. */
export async function findRejectedCommands(
  redis: RedisClient,
  key: string,
  probes: Probes,
): Promise<readonly string[]> {
  const args = Object.entries(probes).flatMap(([name, rest]) => [name, rest.length, ...rest]);
  const reply = await redis.eval(TRY_EACH, 1, key, ...args);
  return Array.isArray(reply) ? reply.map(String) : [];
}
