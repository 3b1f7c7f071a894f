import type { AttemptRecord, AttemptResult } from '../attempt-record.ts';
import type { DeadReason, DeliveryRef, DeliveryState } from '../delivery-record.ts';
import { LEASE_SLACK_MS } from '../lateness.ts';
import { withAttempt } from './attempt-log.ts';
import type { DeliveryIndexes, DueTime, InFlight } from './delivery-indexes.ts';
import type { Instant } from './instant.ts';
import type { LineMember } from './line.ts';
import type { StoredMessage } from './stored-message.ts';
import type { StoredWebhook } from './stored-webhook.ts';

const NONE: readonly AttemptRecord[] = [];

/**
 * One delivery and its state. Every move keeps all indexes in step: the lines of its webhook, the leases, and the
 * indexes over all webhooks.
 */
export class StoredDelivery implements LineMember {
  readonly message: StoredMessage;
  readonly webhook: StoredWebhook;
  readonly sequence: number;
  /** The next delivery of the same message. */
  sibling: StoredDelivery | undefined;
  run = 1;
  /** How often it was started, in all runs. */
  attempt = 0;
  triesBefore = 0;
  lostAttempts = 0;
  linePlace: number | null = null;

  readonly #indexes: DeliveryIndexes;
  /** The last attempt that has ended. */
  #last: AttemptRecord | null = null;
  /** Attempts before the last one, oldest first. Most deliveries have none. */
  #before: readonly AttemptRecord[] = NONE;
  #state: DeliveryState;
  #deadReason: DeadReason | null = null;
  #notBeforeMs: number | null = null;
  #due: DueTime | undefined;
  #inFlight: InFlight | undefined;
  #retrySequence: number | undefined;

  /** The caller sets `dueAtMs` of a queued delivery, when it schedules it. */
  constructor(
    message: StoredMessage,
    webhook: StoredWebhook,
    indexes: DeliveryIndexes,
    state: 'queued' | 'held',
  ) {
    this.message = message;
    this.webhook = webhook;
    this.#indexes = indexes;
    webhook.lastSequence += 1;
    this.sequence = webhook.lastSequence;
    webhook.log.add(this.sequence, this);
    this.#state = state;
    webhook.byState[state].add(this.sequence, this);
  }

  get state(): DeliveryState {
    return this.#state;
  }

  get ref(): DeliveryRef {
    const { accountId, webhookId } = this.webhook.record;
    return { accountId, webhookId, deliveryId: this.message.messageId };
  }

  /** `null` unless it is dead. */
  get deadReason(): DeadReason | null {
    return this.#deadReason;
  }

  /** Its number among the retries that wait, in their order; `undefined`: it is not among them. */
  get retrySequence(): number | undefined {
    return this.#retrySequence;
  }

  /** When it is scheduled for; for an attempt in flight, the time from which on it is late. */
  get dueAtMs(): number {
    return this.#due?.atMs ?? Number.POSITIVE_INFINITY;
  }

  set dueAtMs(atMs: number) {
    if (this.#due !== undefined) {
      this.#indexes.due.move(this.#due, atMs);
      return;
    }
    this.#due = { delivery: this, atMs, heapIndex: 0 };
    this.#indexes.due.add(this.#due);
  }

  /** Parks it in either line, until there is room and it is woken. */
  park(): void {
    this.unpark();
    const { queued, waiting } = this.webhook.parked;
    if (this.#retrySequence === undefined) queued.add(this.sequence, this);
    else waiting.add(this.#retrySequence, this);
  }

  unpark(): void {
    const { queued, waiting } = this.webhook.parked;
    queued.delete(this.sequence);
    if (this.#retrySequence !== undefined) waiting.delete(this.#retrySequence);
  }

  /** Puts a retry behind those that wait already. */
  joinRetries(): void {
    if (this.#state !== 'waiting' || this.#retrySequence !== undefined) return;
    const { webhook } = this;
    webhook.lastRetrySequence += 1;
    this.#retrySequence = webhook.lastRetrySequence;
    webhook.retries.add(this.#retrySequence, this);
  }

  /** Attempts that have ended, oldest first. */
  get attempts(): readonly AttemptRecord[] {
    return this.#last === null ? this.#before : withAttempt(this.#before, this.#last);
  }

  /** Starts an attempt, which counts towards the rate. */
  start({ nowMs, steadyMs }: Instant, leaseMs: number): void {
    this.#before = this.attempts;
    this.#last = null;
    this.webhook.wasRetryLast = this.#state !== 'queued';
    this.#enter('sending');
    this.#leaveRetries();
    this.attempt += 1;
    this.webhook.starts.add(steadyMs);
    const leaseEndsAtMs = nowMs + leaseMs;
    this.dueAtMs = leaseEndsAtMs - LEASE_SLACK_MS;
    this.#inFlight = {
      delivery: this,
      startedAtMs: nowMs,
      startedSteadyMs: steadyMs,
      isCounted: true,
      atMs: leaseEndsAtMs,
      heapIndex: 0,
    };
    this.webhook.leases.add(this.#inFlight);
  }

  /** How long the lease of the attempt in flight goes on; 0: it is over, or there is none. */
  leaseLeftMs(nowMs: number): number {
    return this.#inFlight === undefined ? 0 : Math.max(0, this.#inFlight.atMs - nowMs);
  }

  /** Whether the attempt in flight is the one that started then. */
  isInFlightSince(startedAtMs: number | null): boolean {
    return this.#inFlight !== undefined && this.#inFlight.startedAtMs === startedAtMs;
  }

  /**
   * Withdraws the attempt in flight, as if it had never started: queued again, or a retry that has yet to join its
   * line.
   */
  withdraw(nowMs: number): void {
    const { startedSteadyMs } = this.#leaveFlight();
    this.webhook.starts.remove(startedSteadyMs);
    this.attempt -= 1;
    this.#enter(this.attempt === 0 && this.run === 1 ? 'queued' : 'waiting');
    this.dueAtMs = nowMs;
  }

  /** No longer counts its attempt as in flight. */
  dropLease(): void {
    if (this.#inFlight?.isCounted !== true) return;
    this.#inFlight.isCounted = false;
    this.webhook.leases.remove(this.#inFlight);
  }

  /**
   * Logs how the attempt in flight went. What becomes of the delivery is the next move.
   *
   * @returns when it started, by the steady clock
   */
  end(result: AttemptResult): number {
    const { startedAtMs, startedSteadyMs } = this.#leaveFlight();
    this.#log(startedAtMs, result);
    return startedSteadyMs;
  }

  /** Logs the attempt in flight as one whose sender died. The next one may start at once. */
  lose(nowMs: number): void {
    const { startedAtMs, atMs: leaseEndsAtMs } = this.#leaveFlight();
    this.lostAttempts += 1;
    const durationMs = leaseEndsAtMs - startedAtMs;
    this.#log(startedAtMs, { status: null, durationMs, error: 'lost', response: null });
    this.waitUntil(nowMs);
  }

  waitUntil(atMs: number): void {
    this.#enter('waiting');
    this.#notBeforeMs = atMs;
    this.dueAtMs = atMs;
  }

  /** How long the verdict on the last attempt forbids the next one; 0: it does not. */
  forbiddenMs(nowMs: number): number {
    if (this.#state !== 'waiting' || this.#notBeforeMs === null) return 0;
    return Math.max(0, this.#notBeforeMs - nowMs);
  }

  /** Nothing more is to come, unless it is sent again or its webhook enabled. */
  unscheduleAs(state: 'held' | 'delivered'): void {
    this.#enter(state);
    this.#leaveRetries();
    this.#leaveDueIndex();
  }

  markDead(reason: DeadReason): void {
    this.#enter('dead');
    this.#deadReason = reason;
    this.#leaveRetries();
    this.#leaveDueIndex();
  }

  /** Puts it back to its beginning, in a new run, as a retry that may start at once: first tries do not wait for it. */
  restartAsRetry(nowMs: number): void {
    this.#beginRun();
    this.waitUntil(nowMs);
  }

  /** The same, at its place in the order of publishing, for one that was never tried. It is yet to be scheduled. */
  restartAsFirstTry(): void {
    this.#beginRun();
    this.#enter('queued');
  }

  /** Removes it from all indexes. */
  forget(): void {
    const { webhook, sequence } = this;
    webhook.byState[this.#state]?.delete(sequence);
    webhook.log.delete(sequence);
    this.#indexes.delivered.leave(this);
    this.unpark();
    this.dropLease();
    this.#leaveRetries();
    this.#leaveDueIndex();
  }

  #log(startedAtMs: number, { status, durationMs, error, response }: AttemptResult): void {
    this.#last = { attempt: this.attempt, startedAtMs, status, durationMs, error, response };
  }

  #leaveFlight(): InFlight {
    if (this.#inFlight === undefined) throw new Error('No attempt is in flight.');
    const inFlight = this.#inFlight;
    this.dropLease();
    this.#inFlight = undefined;
    return inFlight;
  }

  #beginRun(): void {
    this.run += 1;
    this.triesBefore = 0;
    this.lostAttempts = 0;
  }

  #enter(state: DeliveryState): void {
    if (state === this.#state) return;
    this.#deadReason = null;
    const { byState } = this.webhook;
    byState[this.#state]?.delete(this.sequence);
    this.#indexes.delivered.leave(this);
    this.unpark();
    this.#state = state;
    byState[state]?.add(this.sequence, this);
    if (state === 'delivered') this.#indexes.delivered.join(this);
  }

  #leaveRetries(): void {
    if (this.#retrySequence !== undefined) this.webhook.retries.delete(this.#retrySequence);
    this.#retrySequence = undefined;
  }

  #leaveDueIndex(): void {
    if (this.#due !== undefined) this.#indexes.due.remove(this.#due);
    this.#due = undefined;
  }
}
