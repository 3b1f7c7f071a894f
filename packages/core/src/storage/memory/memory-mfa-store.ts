import type { Clock } from '../../ports/clock.ts';
import type {
  ConfirmEnrolment,
  EnrolledFactor,
  MfaStore,
  NewEnrolment,
  PendingEnrolment,
} from '../mfa-store.ts';
import type { SealedPage } from '../sealed-store.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** Timed by when it is forgotten. */
interface StoredEnrolment extends PendingEnrolment, Timed {
  readonly userId: string;
  readonly sessionId: string;
}

interface StoredFactor {
  readonly sealedSecret: string;
  readonly confirmedAtMs: number;
  /** The enrolment that became this factor, and the codes given with it: a repeated `confirm` is recognised by them. */
  readonly enrolmentId: string;
  readonly confirmedWith: string;
  /** All codes of the present set, used ones too: a repeat is recognised by it, and brings no used code back. */
  readonly codesGiven: string;
  readonly codesLeft: Set<string>;
}

/**
 * Second factors in memory. No method awaits anything, so each is one transition. Factors are kept for good; pending
 * enrolments are forgotten when they expire, without a timer.
 */
export class MemoryMfaStore implements MfaStore {
  readonly #clock: Clock;
  readonly #timeOfDay: Clock;
  readonly #factors = new Map<string, StoredFactor>();
  /** By user, and then by session. */
  readonly #pending = new Map<string, Map<string, StoredEnrolment>>();
  readonly #expiries = new TimeHeap<StoredEnrolment>();

  /**
   * @param timeOfDay - When factors are confirmed: no code of that time is taken again, and apps make codes by the time
   * of day
   */
  constructor(clock: Clock, timeOfDay: Clock = clock) {
    this.#clock = clock;
    this.#timeOfDay = timeOfDay;
  }

  /** How many enrolments are kept until they expire. */
  get pendingCount(): number {
    return [...this.#pending.values()].reduce((count, { size }) => count + size, 0);
  }

  async begin(userId: string, enrolment: NewEnrolment): Promise<void> {
    const nowMs = this.#begin();
    const { sessionId, enrolmentId, sealedSecret, ttlMs } = enrolment;
    const former = this.#pendingOf(userId, sessionId);
    // A re-sent command neither prolongs an enrolment, nor makes a confirmed one pending again.
    if (former?.enrolmentId === enrolmentId) return;
    if (this.#factors.get(userId)?.enrolmentId === enrolmentId) return;
    if (former !== undefined) this.#expiries.remove(former);
    const atMs = nowMs + ttlMs;
    const stored = { userId, sessionId, enrolmentId, sealedSecret, atMs, heapIndex: 0 };
    this.#pending.set(userId, (this.#pending.get(userId) ?? new Map()).set(sessionId, stored));
    this.#expiries.add(stored);
  }

  async findPending(userId: string, sessionId: string): Promise<PendingEnrolment | null> {
    this.#begin();
    const pending = this.#pendingOf(userId, sessionId);
    if (pending === undefined) return null;
    const { enrolmentId, sealedSecret } = pending;
    return { enrolmentId, sealedSecret };
  }

  async confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean> {
    this.#begin();
    const { sessionId, enrolmentId, recoveryCodeHashes } = confirmation;
    const given = nameOf(recoveryCodeHashes);
    const pending = this.#pendingOf(userId, sessionId);
    if (pending?.enrolmentId !== enrolmentId) {
      const factor = this.#factors.get(userId);
      return factor?.enrolmentId === enrolmentId && factor.confirmedWith === given;
    }
    this.#forgetPending(userId);
    this.#factors.set(userId, {
      sealedSecret: pending.sealedSecret,
      confirmedAtMs: this.#timeOfDay.nowMs(),
      enrolmentId,
      confirmedWith: given,
      codesGiven: given,
      codesLeft: new Set(recoveryCodeHashes),
    });
    return true;
  }

  async find(userId: string): Promise<EnrolledFactor | null> {
    const factor = this.#factors.get(userId);
    if (factor === undefined) return null;
    const { sealedSecret, enrolmentId, confirmedAtMs, codesLeft } = factor;
    return { sealedSecret, enrolmentId, confirmedAtMs, recoveryCodesLeft: codesLeft.size };
  }

  async listSealed(): Promise<SealedPage<string>> {
    const factors = [...this.#factors];
    const items = factors.map(([owner, { sealedSecret }]) => ({ owner, sealed: sealedSecret }));
    return { items, nextCursor: null };
  }

  async replaceSealed(
    userId: string,
    { expected, replacement }: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    const factor = this.#factors.get(userId);
    if (factor?.sealedSecret === replacement) return true;
    if (factor?.sealedSecret !== expected) return false;
    this.#factors.set(userId, { ...factor, sealedSecret: replacement });
    return true;
  }

  async remove(userId: string): Promise<boolean> {
    this.#begin();
    this.#forgetPending(userId);
    return this.#factors.delete(userId);
  }

  async removeEnrolled(userId: string, enrolmentId: string): Promise<boolean> {
    if (this.#factors.get(userId)?.enrolmentId !== enrolmentId) return false;
    return this.#factors.delete(userId);
  }

  async replaceRecoveryCodes(
    userId: string,
    recoveryCodeHashes: readonly string[],
  ): Promise<boolean> {
    const factor = this.#factors.get(userId);
    if (factor === undefined) return false;
    const given = nameOf(recoveryCodeHashes);
    if (factor.codesGiven === given) return true;
    this.#factors.set(userId, {
      ...factor,
      codesGiven: given,
      codesLeft: new Set(recoveryCodeHashes),
    });
    return true;
  }

  async consumeRecoveryCode(userId: string, recoveryCodeHash: string): Promise<boolean> {
    return this.#factors.get(userId)?.codesLeft.delete(recoveryCodeHash) ?? false;
  }

  #begin(): number {
    const nowMs = this.#clock.nowMs();
    let expired = this.#expiries.take(nowMs);
    while (expired !== undefined) {
      const ofUser = this.#pending.get(expired.userId);
      ofUser?.delete(expired.sessionId);
      if (ofUser?.size === 0) this.#pending.delete(expired.userId);
      expired = this.#expiries.take(nowMs);
    }
    return nowMs;
  }

  #pendingOf(userId: string, sessionId: string): StoredEnrolment | undefined {
    return this.#pending.get(userId)?.get(sessionId);
  }

  #forgetPending(userId: string): void {
    for (const pending of this.#pending.get(userId)?.values() ?? []) this.#expiries.remove(pending);
    this.#pending.delete(userId);
  }
}

/** Unambiguous, since no hash has a space in it. */
function nameOf(recoveryCodeHashes: readonly string[]): string {
  return recoveryCodeHashes.join(' ');
}
