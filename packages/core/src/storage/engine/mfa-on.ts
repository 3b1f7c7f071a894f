import type { MfaStore } from '../mfa-store.ts';
import { type EngineCalls, keyOf, type Transition } from './engine-calls.ts';
import { readValue } from './row-values.ts';
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

/** A pending enrolment, in the row of its session. */
interface Pending {
  readonly enrolmentId: string;
  readonly encryptedSecret: string;
}

/** The key of a user's factor, and the index of all factors. */
const FACTOR = 'factor';

/** Second factors on an engine: each method is one transaction of the user's partition. */
export function mfaOn(calls: EngineCalls): MfaStore {
  const transactOnUser = <Result>(
    userId: string,
    transition: Transition<Result>,
  ): Promise<Result> =>
    calls.transact(userPartition(userId), transition, calls.newDeadline(), FACTOR);

  /**
   * Changes the factor. If `change` returns the same object, nothing is written.
   *
   * @returns `false` if the user has no factor, or if `change` returns `null`
   */
  const changeFactor = (userId: string, change: (factor: Factor) => Factor | null) =>
    transactOnUser(userId, async (rows) => {
      const factor = await factorIn(rows);
      const changed = factor === undefined ? null : change(factor);
      if (changed !== null && changed !== factor) await putFactor(rows, changed);
      return changed !== null;
    });

  return {
    begin: (userId, { sessionId, enrolmentId, encryptedSecret, ttlMs }) =>
      transactOnUser(userId, async (rows, nowMs) => {
        const key = pendingKey(sessionId);
        const pending = await readValue<Pending>(rows, key);
        // A repeated command neither extends an enrolment, nor makes a confirmed one pending again.
        if (pending?.enrolmentId === enrolmentId) return;
        if ((await factorIn(rows))?.enrolmentId === enrolmentId) return;
        const value: Pending = { enrolmentId, encryptedSecret };
        await rows.put({ key, value, indexes: { pending: key }, expiresAtMs: nowMs + ttlMs });
      }),

    findPending: (userId, sessionId) =>
      transactOnUser(userId, async (rows, nowMs) => {
        const pending = await readValue<Pending>(rows, pendingKey(sessionId));
        if (pending === undefined) return null;
        const { enrolmentId, encryptedSecret } = pending;
        return { enrolmentId, encryptedSecret, nowMs: calls.wallClockMs(nowMs) };
      }),

    confirm: (userId, { sessionId, enrolmentId, recoveryCodeHashes }) =>
      transactOnUser(userId, async (rows, nowMs) => {
        const codesDigest = keyOf(...recoveryCodeHashes);
        const pending = await readValue<Pending>(rows, pendingKey(sessionId));
        if (pending?.enrolmentId !== enrolmentId) {
          const factor = await factorIn(rows);
          return factor?.enrolmentId === enrolmentId && factor.confirmedWith === codesDigest;
        }
        await deletePending(rows);
        await putFactor(rows, {
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
      transactOnUser(userId, async (rows) => {
        const factor = await factorIn(rows);
        if (factor === undefined) return null;
        const { encryptedSecret, enrolmentId, confirmedAtMs, codesLeft } = factor;
        return { encryptedSecret, enrolmentId, confirmedAtMs, recoveryCodesLeft: codesLeft.length };
      }),

    remove: (userId) =>
      transactOnUser(userId, async (rows) => {
        await deletePending(rows);
        if ((await factorIn(rows)) === undefined) return false;
        await rows.delete(FACTOR);
        return true;
      }),

    removeEnrolled: (userId, enrolmentId) =>
      transactOnUser(userId, async (rows) => {
        if ((await factorIn(rows))?.enrolmentId !== enrolmentId) return false;
        await rows.delete(FACTOR);
        return true;
      }),

    replaceRecoveryCodes: (userId, recoveryCodeHashes) =>
      changeFactor(userId, (factor) => {
        const codesGiven = keyOf(...recoveryCodeHashes);
        if (factor.codesGiven === codesGiven) return factor;
        return { ...factor, codesGiven, codesLeft: [...recoveryCodeHashes] };
      }),

    consumeRecoveryCode: (userId, recoveryCodeHash) =>
      changeFactor(userId, (factor) => {
        if (!factor.codesLeft.includes(recoveryCodeHash)) return null;
        const codesLeft = factor.codesLeft.filter((hash) => hash !== recoveryCodeHash);
        return { ...factor, codesLeft };
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
      changeFactor(userId, (factor) => {
        if (factor.encryptedSecret === replacement) return factor;
        return factor.encryptedSecret === expected
          ? { ...factor, encryptedSecret: replacement }
          : null;
      }),
  };
}

function userPartition(userId: string): string {
  return keyOf('factors', userId);
}

function pendingKey(sessionId: string): string {
  return keyOf('pending', sessionId);
}

function factorIn(rows: Rows): Promise<Factor | undefined> {
  return readValue(rows, FACTOR);
}

async function putFactor(rows: Rows, factor: Factor): Promise<void> {
  // The sort key is unique to the user, so that it can be the cursor of `listEncrypted`.
  const indexes = { [FACTOR]: userPartition(factor.userId) };
  await rows.put({ key: FACTOR, value: factor, indexes, expiresAtMs: null });
}

async function deletePending(rows: Rows): Promise<void> {
  for (const { key } of await rows.range('pending')) await rows.delete(key);
}
