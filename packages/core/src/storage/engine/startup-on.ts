import { uncheckedFields } from '../../unchecked-fields.ts';
import type { StoreFinding, StoreStartup } from '../startup.ts';
import { type EngineCalls, keyOf } from './engine-calls.ts';

const PARTITION = keyOf('startup');
const INSTANCES = 'instances';
const PING_MS = 1_000;

/** Startup checks and instances on an engine, with a row for each instance. */
export function startupOn(calls: EngineCalls): StoreStartup {
  /** Writes a row, so that the ping fails on a read-only standby. */
  const ping = () =>
    calls.transact(PARTITION, (rows, nowMs) =>
      rows.put({ key: 'ping', value: null, indexes: {}, expiresAtMs: nowMs + PING_MS }),
    );

  return {
    ping,

    async findings() {
      try {
        await ping();
        // An engine may use other statements, which may need their own privileges, for a transaction without writes,
        // and for a search over all partitions.
        await calls.transact(PARTITION, () => {});
        await calls.find(INSTANCES, { limit: 1 });
        return [];
      } catch (error) {
        return [findingIn(error)];
      }
    },

    join: ({ instanceId, configuration, ttlMs }) =>
      calls.transact(PARTITION, async (rows, nowMs) => {
        const instances = await rows.range(INSTANCES);
        await rows.put({
          key: instanceKey(instanceId),
          value: { configuration },
          indexes: { [INSTANCES]: instanceId },
          expiresAtMs: nowMs + ttlMs,
        });
        return instances
          .filter(({ key }) => key !== instanceKey(instanceId))
          .map(({ value }) => (value as { readonly configuration: string }).configuration);
      }),

    leave: (instanceId) =>
      calls.transact(PARTITION, (rows) => rows.delete(instanceKey(instanceId))),
  };
}

function instanceKey(instanceId: string): string {
  return `instance/${instanceId}`;
}

/** @throws the error if it has no finding: the database could not be checked, and may be checked again */
function findingIn(error: unknown): StoreFinding {
  const { finding: code, message } = uncheckedFields<Error & { finding: StoreFinding['code'] }>(
    error,
  );
  if (code === undefined || message === undefined) throw error;
  return { code, message };
}
