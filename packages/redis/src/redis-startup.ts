import type { StorageName, StoreFinding, StoreStartup } from '@latchhook/core/storage';
import { findRejectedCommands, probesOf } from './probe-commands.ts';
import type { RedisClient } from './redis-client.ts';
import { joinInstances } from './scripts/startup/join-instances.ts';
import { leaveInstances } from './scripts/startup/leave-instances.ts';
import { writePing } from './scripts/startup/write-ping.ts';
import { evictionRisks, readServerSettings, type ServerSettings } from './server-settings.ts';
import { rejectUnavailable } from './storage-unavailable.ts';
import type { StoreDeps } from './store-methods.ts';

/** The README states the same version. */
const LEAST_VERSION = [6, 2] as const;

/** The parts of the storage that are spread over partitions. */
const PARTITIONED: readonly StorageName[] = ['webhooks', 'deliveries'];

/** How long the number of partitions is stored, ms: a year from the last start of an instance. */
const PARTITIONS_TTL_MS = 31_536_000_000;

/**
 * Stores a number of partitions unless there is one, and returns the stored one. ARGV: the number of this instance, and
 * its time to live, which starts again if the numbers are equal. It is a script because a plain GET may go to a replica
 * (`scaleReads` of ioredis), which may not have the number yet.
 */
const STORE_PARTITIONS = `
local storedCount = redis.call('GET', KEYS[1])
if not storedCount then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
if storedCount == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return storedCount or ARGV[1]
`;

export function redisStartup(redis: RedisClient, keyPrefix: string, deps: StoreDeps): StoreStartup {
  const { startupKeys, partitions, newDeadline } = deps;

  /** The number of partitions that the first instance has stored. */
  function storedPartitions(): Promise<unknown> {
    const args = [partitions.all.length, PARTITIONS_TTL_MS];
    return redis.eval(STORE_PARTITIONS, 1, startupKeys.partitions, ...args);
  }

  async function findings(parts: readonly StorageName[]): Promise<readonly StoreFinding[]> {
    const rejectedCommands = await findRejectedCommands(
      redis,
      startupKeys.probe,
      probesOf(parts),
    ).catch(rejectedEval);
    const settings = await readServerSettings(redis);
    const usesPartitions = parts.some((part) => PARTITIONED.includes(part));
    return [
      ...(usesPartitions && rejectedCommands.length === 0
        ? partitionFindings(partitions.all.length, await storedPartitions(), keyPrefix)
        : []),
      ...permissionFindings(rejectedCommands, keyPrefix),
      ...settings.flatMap((server) => [...versionFindings(server), ...policyFindings(server)]),
    ].filter(isFirst);
  }

  return {
    ping: writePing(deps),
    findings: (parts) => newDeadline().bound(findings(parts).catch(rejectUnavailable)),
    join: joinInstances(deps),
    leave: leaveInstances(deps),
  };
}

/** An instance with another number of partitions would look for webhooks in the wrong ones. */
function partitionFindings(
  count: number,
  storedCount: unknown,
  keyPrefix: string,
): readonly StoreFinding[] {
  if (storedCount === String(count)) return [];
  return [
    {
      code: 'storage_setting_unsafe',
      message: `webhooks under ${keyPrefix} are spread over ${storedCount} partitions, not ${count}: pass partitions: ${storedCount} to redisStorage`,
    },
  ];
}

/** Returns the command that runs scripts (EVAL) if the ACL rejects even that. Rethrows other errors. */
function rejectedEval(error: unknown): readonly string[] {
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('NOPERM')) return [/'(\w+)/.exec(message)?.[1]?.toUpperCase() ?? 'EVAL'];
  throw error;
}

function permissionFindings(
  rejectedCommands: readonly string[],
  keyPrefix: string,
): readonly StoreFinding[] {
  if (rejectedCommands.length === 0) return [];
  return [
    {
      code: 'storage_not_permitted',
      message: `the user of this client may not run ${rejectedCommands.join(', ')} on keys that begin with ${keyPrefix}: give it what the README of @latchhook/redis lists`,
    },
  ];
}

function versionFindings({ version }: ServerSettings): readonly StoreFinding[] {
  if (version === undefined) return [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_VERSION;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return [];
  return [
    {
      code: 'storage_version_unsupported',
      message: `Redis is ${version}: use ${LEAST_VERSION.join('.')} or later`,
    },
  ];
}

function policyFindings(server: ServerSettings): readonly StoreFinding[] {
  return evictionRisks(server).map((message) => ({ code: 'storage_setting_unsafe', message }));
}

/** Drops duplicates because the nodes of a Cluster mostly have the same findings. */
function isFirst(finding: StoreFinding, index: number, all: readonly StoreFinding[]): boolean {
  return all.findIndex(({ message }) => message === finding.message) === index;
}
