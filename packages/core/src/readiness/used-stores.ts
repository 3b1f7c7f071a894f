import type { Storage, StorageName } from '../storage/storage.ts';
import { originOf, type StoreOrigin } from '../storage/store-origin.ts';

/** A store, and what of it the app uses. */
export interface UsedStore {
  readonly name: string;
  readonly parts: readonly StorageName[];
  readonly startup: StoreOrigin['startup'];
}

/** The stores that these parts of a storage are of, each once. Parts that do not say whose they are count as one. */
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

/** A session that nobody has, as ids of users may be numbers in the host's table. */
const NOBODY = { userId: '0', sessionId: 'startup' };

/**
 * Rejects unless the store answers. One that cannot be asked for itself is asked for something that nobody has; if it
 * keeps no sessions, nothing of it is known to be harmless, and its first call will tell.
 */
export async function pingStore({ parts, startup }: UsedStore, storage: Storage): Promise<void> {
  if (startup !== undefined) await startup.ping();
  else if (parts.includes('sessions')) await storage.sessions.isLive(NOBODY);
}
