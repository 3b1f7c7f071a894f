import type { Clock } from '../../ports/clock.ts';
import type { ConfirmEnrolment, EnrolledFactor, MfaStore, PendingEnrolment } from '../mfa-store.ts';
import type { SealedPage } from '../sealed-store.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** Timed by when it is forgotten. */
interface StoredEnrolment extends PendingEnrolment, Timed {
  readonly userId: string;
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
  readonly #pending = new Map<string, StoredEnrolment>();
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
    return this.#pending.size;
  }

  async begin(
    userId: string,
    enrolment: PendingEnrolment & { readonly ttlMs: number },
  ): Promise<void> {
    const nowMs = this.#begin();
    const { enrolmentId, sealedSecret, ttlMs } = enrolment;
    // A re-sent command neither prolongs an enrolment, nor makes a confirmed one pending again.
    if (this.#pending.get(userId)?.enrolmentId === enrolmentId) return;
    if (this.#factors.get(userId)?.enrolmentId === enrolmentId) return;
    this.#forgetPending(userId);
    const stored = { userId, enrolmentId, sealedSecret, atMs: nowMs + ttlMs, heapIndex: 0 };
    this.#pending.set(userId, stored);
    this.#expiries.add(stored);
  }

  async findPending(userId: string): Promise<PendingEnrolment | null> {
    this.#begin();
    const pending = this.#pending.get(userId);
    if (pending === undefined) return null;
    const { enrolmentId, sealedSecret } = pending;
    return { enrolmentId, sealedSecret };
  }

  async confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean> {
    this.#begin();
    const { enrolmentId, recoveryCodeHashes } = confirmation;
    const given = nameOf(recoveryCodeHashes);
    const pending = this.#pending.get(userId);
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
      this.#pending.delete(expired.userId);
      expired = this.#expiries.take(nowMs);
    }
    return nowMs;
  }

  #forgetPending(userId: string): void {
    const pending = this.#pending.get(userId);
    if (pending === undefined) return;
    this.#expiries.remove(pending);
    this.#pending.delete(userId);
  }
}

/** Unambiguous, since no hash has a space in it. */
function nameOf(recoveryCodeHashes: readonly string[]): string {
  return recoveryCodeHashes.join(' ');
}
