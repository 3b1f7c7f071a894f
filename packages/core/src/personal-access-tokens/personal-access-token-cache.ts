import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type {
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '../storage/personal-access-token-store.ts';
import { RecentCache } from '../tokens/recent-cache.ts';

/** A use is recorded once a minute at most: owners only see a time of day, and a write costs more than a read. */
const TOUCH_EVERY_MS = 60_000;

/** How many tokens are cached, of some 500 bytes each. */
const MAX_REMEMBERED = 10_000;

/** Live tokens, by hash, in front of the storage. */
export interface PersonalAccessTokenCache {
  /** Asks the storage, which records the use. */
  find(tokenHash: string): Promise<PersonalAccessTokenRecord | null>;
  /** The record that the storage returned, if it was asked less than `staleMs` ago. */
  findCached(tokenHash: string): PersonalAccessTokenRecord | undefined;
}

interface Found {
  readonly record: PersonalAccessTokenRecord;
  readonly askedAtMs: number;
}

/**
 * Asks the storage, and caches what it found for as long as the host permits.
 *
 * Security: never caches that a token was not found, since anybody can make up tokens; nor a token with a scope whose
 * revocation has to work at once.
 */
export function createPersonalAccessTokenCache(
  store: Pick<PersonalAccessTokenStore, 'use'>,
  { staleMs }: { readonly staleMs: number },
  scopeTable: ScopeTable,
  clock: Clock,
): PersonalAccessTokenCache {
  const recent = new RecentCache<string, Found>(MAX_REMEMBERED);

  return {
    async find(tokenHash) {
      // Taken before the storage is asked, since a revocation may come right after it has read the token.
      const askedAtMs = monotonicMs(clock);
      const record = await store.use(tokenHash, { touchEveryMs: TOUCH_EVERY_MS });
      if (record !== null && staleMs > 0 && !scopeTable.needsLiveness(record.scopes)) {
        recent.set(tokenHash, { record, askedAtMs });
      }
      return record;
    },
    findCached(tokenHash) {
      const found = recent.get(tokenHash);
      if (found === undefined) return undefined;
      const { record, askedAtMs } = found;
      const fresh = monotonicMs(clock) - askedAtMs < staleMs;
      if (fresh && clock.nowMs() < record.expiresAtMs) return record;
      recent.delete(tokenHash);
      return undefined;
    },
  };
}
