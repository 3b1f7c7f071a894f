import { randomId } from '../random-id.ts';
import type { StoreStartup } from '../storage/startup.ts';

/** The lifetime of an entry that its process does not renew, ms. */
const TTL_MS = 60_000;
/** Between two renewals, ms: less than half of the lifetime, so that one renewal may fail. */
const RENEW_MS = 20_000;

/** The entry of this process in the store's list of processes that use it. */
export interface Presence {
  /** Adds the entry, and renews it until `leave`. Returns the configurations of the other processes. */
  join(configuration: string): Promise<readonly string[]>;
  /** Removes the entry. Never rejects: an entry that could not be removed expires. */
  leave(): Promise<void>;
}

export function createPresence(startup: StoreStartup): Presence {
  const instanceId = randomId();
  let timer: NodeJS.Timeout | undefined;
  let joining: Promise<unknown> = Promise.resolve();
  /** Whether this process should be listed. `leave` may be called while `join` is pending. */
  let isMember = false;

  return {
    async join(configuration) {
      const instance = { instanceId, configuration, ttlMs: TTL_MS };
      isMember = true;
      const pendingJoin = startup.join(instance);
      joining = pendingJoin;
      const others = await pendingJoin;
      if (!isMember) return others;
      clearInterval(timer);
      // Errors are ignored, because other calls of the store report an outage.
      timer = setInterval(() => {
        joining = startup.join(instance).catch(() => {});
      }, RENEW_MS);
      timer.unref();
      return others;
    },
    async leave() {
      if (!isMember) return;
      isMember = false;
      clearInterval(timer);
      timer = undefined;
      // A pending renewal would list the process again.
      await joining.catch(() => {});
      await startup.leave(instanceId).catch(() => {});
    },
  };
}
