import type { Clock } from '../../ports/clock.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import type { Page } from '../page.ts';
import type {
  CreatePersonalAccessTokenOutcome,
  NewPersonalAccessToken,
  PersonalAccessTokenRecord,
  PersonalAccessTokenRef,
  PersonalAccessTokenStore,
} from '../personal-access-token-store.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** Timed by when it is forgotten. */
interface StoredToken extends Timed {
  readonly tokenHash: string;
  /** Replaced by each transition, never changed in place, so that what was answered stays as it was. */
  record: PersonalAccessTokenRecord;
}

/**
 * Personal access tokens in memory. No method awaits anything, so each is one transition. Each begins by forgetting
 * what has expired: a timer would keep the process from ending.
 */
export class MemoryPersonalAccessTokenStore implements PersonalAccessTokenStore {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, StoredToken>();
  /** By user and id, in the order of creation. A token is live while it is in here. */
  readonly #live = new Map<string, Map<string, StoredToken>>();
  readonly #expiries = new TimeHeap<StoredToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many tokens are kept: live ones, and those that were revoked a short while ago. */
  get size(): number {
    return this.#tokens.size;
  }

  async create(
    token: NewPersonalAccessToken,
    { maxPerUser }: { readonly maxPerUser: number },
  ): Promise<CreatePersonalAccessTokenOutcome> {
    const nowMs = this.#begin();
    const { userId, tokenId, name, prefix, scopes, accountId, tokenHash, ttlMs } = token;
    const known = this.#tokens.get(tokenHash);
    // A re-sent command: the token stays as it is by now.
    if (known !== undefined) return { outcome: 'created', token: known.record };
    const live = this.#live.get(userId) ?? new Map<string, StoredToken>();
    if (live.size >= maxPerUser) return { outcome: 'limit_reached' };

    const newest = [...live.values()].at(-1)?.record.sequence ?? 0;
    const record = {
      userId,
      tokenId,
      name,
      prefix,
      scopes: [...scopes],
      accountId,
      // Derived from the time, so that a user without tokens need not be remembered.
      sequence: Math.max(nowMs, newest + 1),
      createdAtMs: nowMs,
      expiresAtMs: nowMs + ttlMs,
      lastUsedAtMs: null,
    };
    const stored = { tokenHash, record, atMs: record.expiresAtMs, heapIndex: 0 };
    this.#tokens.set(tokenHash, stored);
    this.#expiries.add(stored);
    this.#live.set(userId, live.set(tokenId, stored));
    return { outcome: 'created', token: record };
  }

  async use(
    tokenHash: string,
    { touchEveryMs }: { readonly touchEveryMs: number },
  ): Promise<PersonalAccessTokenRecord | null> {
    const nowMs = this.#begin();
    const token = this.#findLive(tokenHash);
    if (token === undefined) return null;
    const { lastUsedAtMs } = token.record;
    if (lastUsedAtMs === null || nowMs - lastUsedAtMs >= touchEveryMs) {
      token.record = { ...token.record, lastUsedAtMs: nowMs };
    }
    return token.record;
  }

  async list(
    userId: string,
    { limit, after }: Page,
  ): Promise<readonly PersonalAccessTokenRecord[]> {
    this.#begin();
    return this.#liveOf(userId)
      .map(({ record }) => record)
      .filter(({ sequence }) => after === null || sequence > after)
      .slice(0, limit);
  }

  async revoke({ userId, tokenId }: PersonalAccessTokenRef): Promise<boolean> {
    const nowMs = this.#begin();
    const token = this.#live.get(userId)?.get(tokenId);
    if (token === undefined) return false;
    this.#end(token, nowMs);
    return true;
  }

  async revokeByHash(tokenHash: string): Promise<PersonalAccessTokenRecord | null> {
    const nowMs = this.#begin();
    const token = this.#findLive(tokenHash);
    if (token === undefined) return null;
    this.#end(token, nowMs);
    return token.record;
  }

  async revokeAll(userId: string): Promise<number> {
    const nowMs = this.#begin();
    const live = this.#liveOf(userId);
    for (const token of live) this.#end(token, nowMs);
    return live.length;
  }

  #begin(): number {
    const nowMs = this.#clock.nowMs();
    let expired = this.#expiries.take(nowMs);
    while (expired !== undefined) {
      this.#tokens.delete(expired.tokenHash);
      this.#bury(expired);
      expired = this.#expiries.take(nowMs);
    }
    return nowMs;
  }

  #liveOf(userId: string): readonly StoredToken[] {
    return [...(this.#live.get(userId)?.values() ?? [])];
  }

  #findLive(tokenHash: string): StoredToken | undefined {
    const token = this.#tokens.get(tokenHash);
    return token && this.#live.get(token.record.userId)?.get(token.record.tokenId);
  }

  #end(token: StoredToken, nowMs: number): void {
    this.#bury(token);
    this.#expiries.move(token, nowMs + LONGEST_PENDING_MS);
  }

  #bury({ record: { userId, tokenId } }: StoredToken): void {
    const live = this.#live.get(userId);
    live?.delete(tokenId);
    if (live?.size === 0) this.#live.delete(userId);
  }
}
