import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import type {
  NewPersonalAccessToken,
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '../personal-access-token-store.ts';
import {
  type Deadline,
  type EngineCalls,
  keyOf,
  sortKeyOf,
  type Transition,
} from './engine-calls.ts';
import { readValue, readValues } from './row-values.ts';
import type { Rows } from './storage-engine.ts';

interface StoredToken {
  readonly record: PersonalAccessTokenRecord;
  readonly tokenHash: string;
  readonly isRevoked: boolean;
}

/** The only row in the partition of a token's hash: the user to whom the token belongs. */
const USER = 'user';

/** The partition of a token's hash. */
function hashPartition(tokenHash: string): string {
  return keyOf('token', tokenHash);
}

/** The key of a token in the partition of its user. */
function tokenKey(tokenHash: string): string {
  return keyOf('token', tokenHash);
}

/**
 * Personal access tokens on an engine, in the partition of their user. Each token has a second partition, of its hash,
 * with the user's id: it is written first, so that every stored token can be found by its hash.
 */
export function personalAccessTokensOn(calls: EngineCalls): PersonalAccessTokenStore {
  const transactOnHash = <Result>(
    tokenHash: string,
    transition: Transition<Result>,
    deadline: Deadline,
  ): Promise<Result> => calls.transact(hashPartition(tokenHash), transition, deadline, USER);

  const transactOnUser = <Result>(
    userId: string,
    transition: (tokens: TokenRows, nowMs: number) => Promise<Result>,
    deadline?: Deadline,
    firstKey?: string,
  ): Promise<Result> =>
    calls.transact(
      keyOf('tokens', userId),
      (rows, nowMs) => transition(new TokenRows(rows, nowMs), nowMs),
      deadline,
      firstKey,
    );

  async function transactOnToken<Result>(
    tokenHash: string,
    transition: (token: StoredToken, tokens: TokenRows, nowMs: number) => Promise<Result>,
  ): Promise<Result | null> {
    const deadline = calls.newDeadline();
    const findUser: Transition<string | undefined> = (rows) => readValue(rows, USER);
    const userId = await transactOnHash(tokenHash, findUser, deadline);
    if (userId === undefined) return null;
    return transactOnUser(
      userId,
      async (tokens, nowMs) => {
        const token = await tokens.token(tokenHash);
        return token === undefined || token.isRevoked ? null : transition(token, tokens, nowMs);
      },
      deadline,
      tokenKey(tokenHash),
    );
  }

  return {
    async create(token, { maxPerUser }) {
      const deadline = calls.newDeadline();
      const { userId, tokenHash, ttlMs } = token;
      const nameUser: Transition<void> = async (rows, nowMs) => {
        if ((await rows.get(USER)) !== null) return;
        // The token itself may be stored up to `LONGEST_PENDING_MS` later.
        const expiresAtMs = nowMs + ttlMs + LONGEST_PENDING_MS;
        await rows.put({ key: USER, value: userId, indexes: {}, expiresAtMs });
      };
      await transactOnHash(tokenHash, nameUser, deadline);
      return transactOnUser(
        userId,
        async (tokens, nowMs) => {
          const existing = await tokens.token(tokenHash);
          // A repeated command returns the current record.
          if (existing !== undefined) return { outcome: 'created', token: existing.record };
          const all = await tokens.all();
          const live = all.filter(({ isRevoked }) => !isRevoked);
          if (live.length >= maxPerUser) return { outcome: 'limit_reached' };
          // At least the time: then it grows even after the deletion of the newest token, without a counter.
          const sequence = Math.max(nowMs, (all.at(-1)?.record.sequence ?? 0) + 1);
          const record = newRecord(token, sequence, nowMs);
          await tokens.put({ record, tokenHash, isRevoked: false });
          return { outcome: 'created', token: record };
        },
        deadline,
        tokenKey(tokenHash),
      );
    },

    use: (tokenHash, { touchEveryMs }) =>
      transactOnToken(tokenHash, async (token, tokens, nowMs) => {
        const { lastUsedAtMs } = token.record;
        if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < touchEveryMs) return token.record;
        const record = { ...token.record, lastUsedAtMs: nowMs };
        await tokens.put({ ...token, record });
        return record;
      }),

    list: (userId, { limit, after }) =>
      transactOnUser(userId, async (tokens) =>
        (await tokens.live())
          .map(({ record }) => record)
          .filter(({ sequence }) => after === null || sequence > after)
          .slice(0, limit),
      ),

    revoke: ({ userId, tokenId }) =>
      transactOnUser(userId, async (tokens) => {
        const token = (await tokens.live()).find(({ record }) => record.tokenId === tokenId);
        if (token !== undefined) await tokens.put({ ...token, isRevoked: true });
        return token !== undefined;
      }),

    revokeByHash: (tokenHash) =>
      transactOnToken(tokenHash, async (token, tokens) => {
        await tokens.put({ ...token, isRevoked: true });
        return token.record;
      }),

    revokeAll: (userId) =>
      transactOnUser(userId, async (tokens) => {
        const live = await tokens.live();
        for (const token of live) await tokens.put({ ...token, isRevoked: true });
        return live.length;
      }),
  };
}

function newRecord(
  token: NewPersonalAccessToken,
  sequence: number,
  nowMs: number,
): PersonalAccessTokenRecord {
  const { userId, tokenId, name, prefix, scopes, accountId, ttlMs } = token;
  return {
    userId,
    tokenId,
    name,
    prefix,
    accountId,
    sequence,
    scopes: [...scopes],
    createdAtMs: nowMs,
    expiresAtMs: nowMs + ttlMs,
    lastUsedAtMs: null,
  };
}

/** The rows of a user's tokens, within one transaction. */
class TokenRows {
  readonly #rows: Rows;
  readonly #nowMs: number;

  constructor(rows: Rows, nowMs: number) {
    this.#rows = rows;
    this.#nowMs = nowMs;
  }

  /** All tokens that have not expired, also revoked ones, in the order of creation. */
  all(): Promise<readonly StoredToken[]> {
    return readValues(this.#rows, 'token');
  }

  token(tokenHash: string): Promise<StoredToken | undefined> {
    return readValue(this.#rows, tokenKey(tokenHash));
  }

  async live(): Promise<readonly StoredToken[]> {
    return (await this.all()).filter(({ isRevoked }) => !isRevoked);
  }

  async put(token: StoredToken): Promise<void> {
    const { sequence, expiresAtMs } = token.record;
    await this.#rows.put({
      key: tokenKey(token.tokenHash),
      value: token,
      indexes: { token: sortKeyOf(sequence) },
      // A revoked token is kept while a `create` may be repeated, which must not revive it.
      expiresAtMs: token.isRevoked ? this.#nowMs + LONGEST_PENDING_MS : expiresAtMs,
    });
  }
}
