import { randomId } from '../random-id.ts';
import type { StoreStartup } from '../storage/startup.ts';

/** An instance that has not renewed its entry for so long is gone, ms. */
const TTL_MS = 60_000;
/** Often enough that one renewal may fail, ms. */
const RENEW_MS = 20_000;

/** Lists this process among those that use a store. */
export interface Presence {
  /** Lists this process, returns the configurations of the others, and renews its entry until `leave`. */
  join(configuration: string): Promise<readonly string[]>;
  /** Never rejects: an entry that could not be removed expires. */
  leave(): Promise<void>;
}

export function createPresence(startup: StoreStartup): Presence {
  const instanceId = randomId();
  let timer: NodeJS.Timeout | undefined;
  let joining: Promise<unknown> = Promise.resolve();
  /** Whether this process should be listed: `leave` may come while a call to join is pending. */
  let isMember = false;

  return {
    async join(configuration) {
      const instance = { instanceId, configuration, ttlMs: TTL_MS };
      isMember = true;
      const joined = startup.join(instance);
      joining = joined;
      const others = await joined;
      if (!isMember) return others;
      clearInterval(timer);
      // An outage is reported by other calls of the store.
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
