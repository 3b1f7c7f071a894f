import type { RedisClient } from './redis-client.ts';

/** Settings of a server from `INFO`; `undefined` if it does not report them. */
export interface ServerSettings {
  readonly version: string | undefined;
  readonly maxmemoryPolicy: string | undefined;
}

/**
 * Reads the settings of all masters by INFO, which managed services allow even if they forbid CONFIG. The result lacks
 * masters on which INFO fails.
 */
export async function readServerSettings(redis: RedisClient): Promise<readonly ServerSettings[]> {
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis];
  const infos = await Promise.allSettled(nodes.map((node) => node.info()));
  return infos.flatMap((info) => (info.status === 'fulfilled' ? [settingsOf(info.value)] : []));
}

/** Warns that the server evicts keys when its memory is full. Empty if it rejects writes then, or reports no policy. */
export function evictionRisks({ maxmemoryPolicy: policy }: ServerSettings): readonly string[] {
  if (policy === undefined || policy === 'noeviction') return [];
  return [
    `Redis evicts keys when its memory is full (maxmemory-policy ${policy}): locks, used codes and revocations would be forgotten. Set maxmemory-policy to noeviction`,
  ];
}

function settingsOf(info: string): ServerSettings {
  const setting = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  return { version: setting('redis_version'), maxmemoryPolicy: setting('maxmemory_policy') };
}
