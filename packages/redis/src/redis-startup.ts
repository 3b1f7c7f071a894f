import type {
  CallDeadline,
  StorageName,
  StoreFinding,
  StoreStartup,
} from '@latchhook/core/storage';
import { findRejectedCommands, probesOf } from './probe-commands.ts';
import type { RedisClient } from './redis-client.ts';
import type { CallScript } from './script-caller.ts';
import { joinInstances } from './scripts/startup/join-instances.ts';
import { leaveInstances } from './scripts/startup/leave-instances.ts';
import { writePing } from './scripts/startup/write-ping.ts';
import { readServerSettings, type ServerSettings } from './server-settings.ts';
import type { StartupKeys } from './startup-keyspace.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

/** The README states the same version. */
const LEAST_VERSION = [6, 2] as const;

/** The parts of the storage that are spread over partitions. */
const PARTITIONED: readonly StorageName[] = ['webhooks', 'deliveries'];

/** How long the number of partitions is stored, ms: a year from the last start of an instance. */
const PARTITIONS_TTL_MS = 31_536_000_000;

export interface RedisStartupDeps {
  readonly call: CallScript;
  readonly keys: StartupKeys;
  readonly keyPrefix: string;
  /** The number of partitions of webhooks and deliveries. */
  readonly partitions: number;
  readonly newDeadline: () => CallDeadline;
}

export function redisStartup(redis: RedisClient, deps: RedisStartupDeps): StoreStartup {
  const { call, keys, newDeadline } = deps;

  async function findings(parts: readonly StorageName[]): Promise<readonly StoreFinding[]> {
    const rejectedCommands = await findRejectedCommands(redis, keys.probe, probesOf(parts)).catch(
      rejectedScript,
    );
    const settings = await readServerSettings(redis);
    const usesPartitions = parts.some((part) => PARTITIONED.includes(part));
    return [
      ...(usesPartitions && rejectedCommands.length === 0
        ? await partitionFindings(redis, deps)
        : []),
      ...permissionFindings(rejectedCommands, deps.keyPrefix),
      ...settings.flatMap((server) => [...versionFindings(server), ...policyFindings(server)]),
    ].filter(isFirst);
  }

  return {
    ping: () => writePing(call, keys),
    findings: (parts) => newDeadline().bound(findings(parts).catch(rejectUnavailable)),
    join: (instance) => joinInstances(call, keys, instance),
    leave: (instanceId) => leaveInstances(call, keys, instanceId),
  };
}

/**
 * Stores a number of partitions unless there is one, and returns the stored one. ARGV: the number of this instance, and
 * its time to live, which starts again if the numbers are equal. It is a script because a plain GET may go to a replica
 * (`scaleReads` of ioredis), which may not have the number yet.
 */
const STORE_PARTITIONS = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX')
local storedCount = redis.call('GET', KEYS[1])
if storedCount == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return storedCount
`;

/**
 * Compares the number of partitions with the number that the first instance has stored. An instance with another number
 * would look for webhooks in the wrong partitions.
 */
async function partitionFindings(
  redis: RedisClient,
  { keys, keyPrefix, partitions }: RedisStartupDeps,
): Promise<readonly StoreFinding[]> {
  const args = [partitions, PARTITIONS_TTL_MS];
  const storedCount = await redis.eval(STORE_PARTITIONS, 1, keys.partitions, ...args);
  if (storedCount === String(partitions)) return [];
  return [
    {
      code: 'storage_setting_unsafe',
      message: `webhooks under ${keyPrefix} are spread over ${storedCount} partitions, not ${partitions}: pass partitions: ${storedCount} to redisStorage`,
    },
  ];
}

/** Returns the command that runs scripts if the ACL rejects even that. Rethrows other errors. */
function rejectedScript(error: unknown): readonly string[] {
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

function policyFindings({ maxmemoryPolicy: policy }: ServerSettings): readonly StoreFinding[] {
  if (policy === undefined || policy === 'noeviction') return [];
  return [
    {
      code: 'storage_setting_unsafe',
      message: `Redis evicts keys when its memory is full (maxmemory-policy ${policy}): locks, used codes and revocations would be forgotten. Set maxmemory-policy to noeviction`,
    },
  ];
}

/** Drops duplicates because the nodes of a Cluster mostly have the same findings. */
function isFirst(finding: StoreFinding, index: number, all: readonly StoreFinding[]): boolean {
  return all.findIndex(({ message }) => message === finding.message) === index;
}
