import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import type {
  NewPersonalAccessToken,
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '../personal-access-token-store.ts';
import { type Deadline, type EngineCalls, nameOf, placeOf } from './engine-calls.ts';
import type { Rows } from './storage-engine.ts';

interface Stored {
  readonly record: PersonalAccessTokenRecord;
  readonly tokenHash: string;
  readonly isRevoked: boolean;
}

/** The only row in the partition of a token's hash: the user to whom the token belongs. */
const USER = 'user';

/** The key of a token in the partition of its user. */
function tokenKey(tokenHash: string): string {
  return nameOf('token', tokenHash);
}

/**
 * Personal access tokens on an engine, in the partition of their user. A second partition, for the hash of a token,
 * names its user. It is written before the token, so that every stored token can be found by its hash.
 */
export function personalAccessTokensOn(calls: EngineCalls): PersonalAccessTokenStore {
  const ofUser = <Result>(
    userId: string,
    transition: (tokens: TokenRows, nowMs: number) => Promise<Result>,
    deadline?: Deadline,
    firstKey?: string,
  ): Promise<Result> =>
    calls.transact(
      nameOf('tokens', userId),
      (rows, nowMs) => transition(new TokenRows(rows, nowMs), nowMs),
      deadline,
      firstKey,
    );

  async function ofHash<Result>(
    tokenHash: string,
    transition: (token: Stored, tokens: TokenRows, nowMs: number) => Promise<Result>,
  ): Promise<Result | null> {
    const deadline = calls.newDeadline();
    const userId = await calls.transact(
      nameOf('token', tokenHash),
      async (rows) => (await rows.get(USER))?.value ?? null,
      deadline,
      USER,
    );
    if (typeof userId !== 'string') return null;
    return ofUser(
      userId,
      async (tokens, nowMs) => {
        const token = await tokens.ofHash(tokenHash);
        return token === null || token.isRevoked ? null : transition(token, tokens, nowMs);
      },
      deadline,
      tokenKey(tokenHash),
    );
  }

  return {
    async create(token, { maxPerUser }) {
      const deadline = calls.newDeadline();
      const { userId, tokenHash, ttlMs } = token;
      await calls.transact(
        nameOf('token', tokenHash),
        async (rows, nowMs) => {
          if ((await rows.get(USER)) !== null) return;
          const expiresAtMs = nowMs + ttlMs + LONGEST_PENDING_MS;
          await rows.put({ key: USER, value: userId, indexes: {}, expiresAtMs });
        },
        deadline,
        USER,
      );
      return ofUser(
        userId,
        async (tokens, nowMs) => {
          const known = await tokens.ofHash(tokenHash);
          // A repeated command: the token is returned as it is now.
          if (known !== null) return { outcome: 'created', token: known.record };
          const all = await tokens.all();
          if (all.filter(({ isRevoked }) => !isRevoked).length >= maxPerUser) {
            return { outcome: 'limit_reached' };
          }
          // Derived from the time, so that nothing is stored for a user without tokens.
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
      ofHash(tokenHash, async (token, tokens, nowMs) => {
        const { lastUsedAtMs } = token.record;
        if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < touchEveryMs) return token.record;
        const record = { ...token.record, lastUsedAtMs: nowMs };
        await tokens.put({ ...token, record });
        return record;
      }),

    list: (userId, { limit, after }) =>
      ofUser(userId, async (tokens) =>
        (await tokens.live())
          .map(({ record }) => record)
          .filter(({ sequence }) => after === null || sequence > after)
          .slice(0, limit),
      ),

    revoke: ({ userId, tokenId }) =>
      ofUser(userId, async (tokens) => {
        const token = (await tokens.live()).find(({ record }) => record.tokenId === tokenId);
        if (token !== undefined) await tokens.put({ ...token, isRevoked: true });
        return token !== undefined;
      }),

    revokeByHash: (tokenHash) =>
      ofHash(tokenHash, async (token, tokens) => {
        await tokens.put({ ...token, isRevoked: true });
        return token.record;
      }),

    revokeAll: (userId) =>
      ofUser(userId, async (tokens) => {
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
    ...{ userId, tokenId, name, prefix, accountId, sequence },
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
  async all(): Promise<readonly Stored[]> {
    return (await this.#rows.range('token')).map(({ value }) => value as Stored);
  }

  async ofHash(tokenHash: string): Promise<Stored | null> {
    const row = await this.#rows.get(tokenKey(tokenHash));
    return row === null ? null : (row.value as Stored);
  }

  async live(): Promise<readonly Stored[]> {
    return (await this.all()).filter(({ isRevoked }) => !isRevoked);
  }

  async put(token: Stored): Promise<void> {
    const { sequence, expiresAtMs } = token.record;
    await this.#rows.put({
      key: tokenKey(token.tokenHash),
      value: { ...token },
      indexes: { token: placeOf(sequence) },
      expiresAtMs: token.isRevoked ? this.#nowMs + LONGEST_PENDING_MS : expiresAtMs,
    });
  }
}
