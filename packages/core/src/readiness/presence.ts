import { randomId } from '../random-id.ts';
import type { StoreStartup } from '../storage/startup.ts';

/** An instance that is not seen for so long is gone, ms. */
const TTL_MS = 60_000;
/** Often enough to survive one call that fails, ms. */
const RENEW_MS = 20_000;

/** This process among those that use a store. */
export interface Presence {
  /** Joins, and returns the configurations of the others. From then on it stays joined. */
  join(configuration: string): Promise<readonly string[]>;
  /** Never rejects: what it could not take back is forgotten by itself. */
  leave(): Promise<void>;
}

export function createPresence(startup: StoreStartup): Presence {
  const instanceId = randomId();
  let timer: NodeJS.Timeout | undefined;
  let joining: Promise<unknown> = Promise.resolve();
  /** Whether it is to be among them: a call that is under way may have to be taken back. */
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
      // An outage is told by whatever else needs the store.
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
      // What is under way would join again.
      await joining.catch(() => {});
      await startup.leave(instanceId).catch(() => {});
    },
  };
}
