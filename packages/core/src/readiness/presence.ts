import { randomId } from '../ports/random.ts';
import type { StoreStartup } from '../storage/startup.ts';

/** An instance that is not seen for so long is gone, ms. */
const TTL_MS = 60_000;
/** Often enough to survive one call that fails, ms. */
const RENEW_MS = 20_000;

/** This process among those that use a store. */
export interface Presence {
  /** Joins, and answers the configurations of the others. From then on it stays joined. */
  join(configuration: string): Promise<readonly string[]>;
  /** Never rejects: what it could not take back is forgotten by itself. */
  leave(): Promise<void>;
}

export function createPresence(startup: StoreStartup): Presence {
  const instanceId = randomId();
  let timer: NodeJS.Timeout | undefined;

  return {
    async join(configuration) {
      const instance = { instanceId, configuration, ttlMs: TTL_MS };
      const others = await startup.join(instance);
      clearInterval(timer);
      // An outage is told by whatever else needs the store.
      timer = setInterval(() => void startup.join(instance).catch(() => {}), RENEW_MS);
      timer.unref();
      return others;
    },
    async leave() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      await startup.leave(instanceId).catch(() => {});
    },
  };
}
