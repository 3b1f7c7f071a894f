import type { MfaStore } from '../mfa-store.ts';
import { type EngineCalls, keyOf } from './engine-calls.ts';
import type { Rows } from './storage-engine.ts';

interface Factor {
  readonly userId: string;
  readonly encryptedSecret: string;
  readonly enrolmentId: string;
  readonly confirmedAtMs: number;
  /** A digest of the recovery codes of `confirm`, to recognise a repeated call even after codes were used. */
  readonly confirmedWith: string;
  /** A digest of the current set of recovery codes, which `replaceRecoveryCodes` changes. */
  readonly codesGiven: string;
  /** The hashes of the recovery codes that were not used yet. */
  readonly codesLeft: readonly string[];
}

interface Pending {
  readonly sessionId: string;
  readonly enrolmentId: string;
  readonly encryptedSecret: string;
}

const FACTOR = 'factor';

/** Second factors on an engine: each method is one transaction of the user's partition. */
export function mfaOn(calls: EngineCalls): MfaStore {
  const transactOnFactor = <Result>(
    userId: string,
    transition: (factors: FactorRows, nowMs: number) => Promise<Result>,
  ): Promise<Result> =>
    calls.transact(
      keyOf('factors', userId),
      (rows, nowMs) => transition(new FactorRows(rows), nowMs),
      calls.newDeadline(),
      FACTOR,
    );

  return {
    begin: (userId, { sessionId, enrolmentId, encryptedSecret, ttlMs }) =>
      transactOnFactor(userId, async (factors, nowMs) => {
        const pending = await factors.pending(sessionId);
        // A repeated command neither extends an enrolment, nor makes a confirmed one pending again.
        if (pending?.enrolmentId === enrolmentId) return;
        if ((await factors.factor())?.enrolmentId === enrolmentId) return;
        await factors.putPending({ sessionId, enrolmentId, encryptedSecret }, nowMs + ttlMs);
      }),

    findPending: (userId, sessionId) =>
      transactOnFactor(userId, async (factors, nowMs) => {
        const pending = await factors.pending(sessionId);
        if (pending === undefined) return null;
        const { enrolmentId, encryptedSecret } = pending;
        return { enrolmentId, encryptedSecret, nowMs: calls.wallClockMs(nowMs) };
      }),

    confirm: (userId, { sessionId, enrolmentId, recoveryCodeHashes }) =>
      transactOnFactor(userId, async (factors, nowMs) => {
        const codesDigest = keyOf(...recoveryCodeHashes);
        const pending = await factors.pending(sessionId);
        if (pending?.enrolmentId !== enrolmentId) {
          const factor = await factors.factor();
          return factor?.enrolmentId === enrolmentId && factor.confirmedWith === codesDigest;
        }
        await factors.deletePending();
        await factors.putFactor({
          userId,
          encryptedSecret: pending.encryptedSecret,
          enrolmentId,
          // The wall-clock time because it is compared with the time steps of TOTP codes.
          confirmedAtMs: calls.wallClockMs(nowMs),
          confirmedWith: codesDigest,
          codesGiven: codesDigest,
          codesLeft: [...recoveryCodeHashes],
        });
        return true;
      }),

    find: (userId) =>
      transactOnFactor(userId, async (factors) => {
        const factor = await factors.factor();
        if (factor === undefined) return null;
        const { encryptedSecret, enrolmentId, confirmedAtMs, codesLeft } = factor;
        return { encryptedSecret, enrolmentId, confirmedAtMs, recoveryCodesLeft: codesLeft.length };
      }),

    remove: (userId) =>
      transactOnFactor(userId, async (factors) => {
        await factors.deletePending();
        return factors.remove();
      }),

    removeEnrolled: (userId, enrolmentId) =>
      transactOnFactor(userId, async (factors) => {
        if ((await factors.factor())?.enrolmentId !== enrolmentId) return false;
        return factors.remove();
      }),

    replaceRecoveryCodes: (userId, recoveryCodeHashes) =>
      transactOnFactor(userId, async (factors) => {
        const factor = await factors.factor();
        if (factor === undefined) return false;
        const codesGiven = keyOf(...recoveryCodeHashes);
        if (factor.codesGiven === codesGiven) return true;
        await factors.putFactor({ ...factor, codesGiven, codesLeft: [...recoveryCodeHashes] });
        return true;
      }),

    consumeRecoveryCode: (userId, recoveryCodeHash) =>
      transactOnFactor(userId, async (factors) => {
        const factor = await factors.factor();
        if (!factor?.codesLeft.includes(recoveryCodeHash)) return false;
        const codesLeft = factor.codesLeft.filter((hash) => hash !== recoveryCodeHash);
        await factors.putFactor({ ...factor, codesLeft });
        return true;
      }),

    async listEncrypted({ limit, cursor }) {
      const from = cursor ?? '';
      const rows = await calls.find(FACTOR, { from, limit: limit + 1 });
      const items = rows.slice(0, limit).map(({ value }) => {
        const { userId, encryptedSecret } = value as Factor;
        return { owner: userId, encrypted: encryptedSecret };
      });
      return { items, nextCursor: rows[limit]?.indexes[FACTOR] ?? null };
    },

    replaceEncrypted: (userId, { expected, replacement }) =>
      transactOnFactor(userId, async (factors) => {
        const factor = await factors.factor();
        if (factor?.encryptedSecret === replacement) return true;
        if (factor?.encryptedSecret !== expected) return false;
        await factors.putFactor({ ...factor, encryptedSecret: replacement });
        return true;
      }),
  };
}

/** The rows of a user's factor, within one transaction. */
class FactorRows {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  async factor(): Promise<Factor | undefined> {
    const row = await this.#rows.get(FACTOR);
    return row === null ? undefined : (row.value as Factor);
  }

  async putFactor(factor: Factor): Promise<void> {
    await this.#rows.put({
      key: FACTOR,
      value: { ...factor },
      // The place is unique to the user, so that it can be the cursor of `listEncrypted`.
      indexes: { [FACTOR]: keyOf('factors', factor.userId) },
      expiresAtMs: null,
    });
  }

  async remove(): Promise<boolean> {
    const exists = (await this.factor()) !== undefined;
    if (exists) await this.#rows.delete(FACTOR);
    return exists;
  }

  async pending(sessionId: string): Promise<Pending | undefined> {
    const row = await this.#rows.get(keyOf('pending', sessionId));
    return row === null ? undefined : (row.value as Pending);
  }

  async putPending(pending: Pending, expiresAtMs: number): Promise<void> {
    const key = keyOf('pending', pending.sessionId);
    await this.#rows.put({
      key,
      value: { ...pending },
      indexes: { pending: key },
      expiresAtMs,
    });
  }

  async deletePending(): Promise<void> {
    for (const { key } of await this.#rows.range('pending')) await this.#rows.delete(key);
  }
}
