import type { Storage, StorageName } from '../storage/storage.ts';
import { originOf, type StoreOrigin } from '../storage/store-origin.ts';

/** A store, and the parts of it that the app uses. */
export interface UsedStore {
  readonly name: string;
  readonly parts: readonly StorageName[];
  readonly startup: StoreOrigin['startup'];
}

/** Groups the parts of a storage by their store. All parts without an origin count as one store. */
export function groupByStore(
  storage: Storage,
  parts: readonly StorageName[],
): readonly UsedStore[] {
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

/** A session that does not exist. The user id looks like a number, because the host's database may have numeric ids. */
const NOBODY = { userId: '0', sessionId: 'startup' };

/**
 * Rejects unless the store answers. If the store has no `ping`, it is asked for a session that does not exist. If
 * it keeps no sessions either, no harmless call is known, and the store counts as available.
 */
export async function pingStore({ parts, startup }: UsedStore, storage: Storage): Promise<void> {
  if (startup !== undefined) await startup.ping();
  else if (parts.includes('sessions')) await storage.sessions.isLive(NOBODY);
}
