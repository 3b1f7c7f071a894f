import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type {
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '../storage/personal-access-token-store.ts';
import { RecentCache } from '../tokens/recent-cache.ts';

/** A use is recorded at most once a minute, which is exact enough for owners: a write costs more than a read. */
const TOUCH_EVERY_MS = 60_000;

/** The most tokens that are cached, some 500 bytes each. */
const MAX_CACHED = 10_000;

/** Looks live tokens up by their hash, in the storage or in a cache. */
export interface PersonalAccessTokenCache {
  /** Asks the storage, which records the use. */
  find(tokenHash: string): Promise<PersonalAccessTokenRecord | null>;
  /** The record that the storage returned, if it was asked less than `staleMs` ago. */
  findCached(tokenHash: string): PersonalAccessTokenRecord | undefined;
}

interface CachedRecord {
  readonly record: PersonalAccessTokenRecord;
  readonly askedAtMs: number;
}

/**
 * Caches, for as long as the host permits, the records that the storage returns.
 *
 * Security: caches neither that a token was not found, because anybody can make up tokens, nor a token with a scope
 * whose revocation has to work immediately.
 */
export function createPersonalAccessTokenCache(
  store: Pick<PersonalAccessTokenStore, 'use'>,
  { staleMs }: { readonly staleMs: number },
  scopeTable: ScopeTable,
  clock: Clock,
): PersonalAccessTokenCache {
  const cache = new RecentCache<string, CachedRecord>(MAX_CACHED);

  return {
    async find(tokenHash) {
      // The time before the query: right after the storage has read the token, it may be revoked.
      const askedAtMs = monotonicMs(clock);
      const record = await store.use(tokenHash, { touchEveryMs: TOUCH_EVERY_MS });
      if (record !== null && staleMs > 0 && !scopeTable.needsLiveness(record.scopes)) {
        cache.set(tokenHash, { record, askedAtMs });
      }
      return record;
    },
    findCached(tokenHash) {
      const cached = cache.get(tokenHash);
      if (cached === undefined) return undefined;
      const { record, askedAtMs } = cached;
      const isFresh = monotonicMs(clock) - askedAtMs < staleMs;
      if (isFresh && clock.nowMs() < record.expiresAtMs) return record;
      cache.delete(tokenHash);
      return undefined;
    },
  };
}
