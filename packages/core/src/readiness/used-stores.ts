import type { Storage, StorageName } from '../storage/storage.ts';
import { originOf, type StoreOrigin } from '../storage/store-origin.ts';

/** A store, and the parts of it that the app uses. */
export interface UsedStore {
  readonly name: string;
  readonly parts: readonly StorageName[];
  readonly startup: StoreOrigin['startup'];
}

/** The stores to which these parts of a storage belong, each once. Parts without an origin count as one store. */
export function usedStores(storage: Storage, parts: readonly StorageName[]): readonly UsedStore[] {
  const stores = new Map<StoreOrigin | undefined, StorageName[]>();
  for (const part of parts) {
    const origin = originOf(storage[part]);
    stores.set(origin, [...(stores.get(origin) ?? []), part]);
  }
  return Array.from(stores, ([origin, parts]) => ({
    name: origin?.name ?? storage.name,
    parts,
    startup: origin?.startup,
  }));
}

/** A session that nobody has; the id is a number, since the ids of the host's users may be numbers. */
const NOBODY = { userId: '0', sessionId: 'startup' };

/**
 * Rejects unless the store answers. One without a `ping` is asked for a session that nobody has; if it keeps no
 * sessions, no call of it is known to be harmless, and its first use will show whether it answers.
 */
export async function pingStore({ parts, startup }: UsedStore, storage: Storage): Promise<void> {
  if (startup !== undefined) await startup.ping();
  else if (parts.includes('sessions')) await storage.sessions.isLive(NOBODY);
}
