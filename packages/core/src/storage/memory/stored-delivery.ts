import type { AttemptRecord, AttemptResult } from '../attempt-record.ts';
import type { DeadReason, DeliveryRef, DeliveryState } from '../delivery-record.ts';
import { LEASE_SLACK_MS } from '../lateness.ts';
import { withAttempt } from './attempt-log.ts';
import type { Instant } from './instant.ts';
import type { StoredMessage } from './stored-message.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import type { Timed, TimeHeap } from './time-heap.ts';

const NONE: readonly AttemptRecord[] = [];

/**
 * One delivery and its state. Every move keeps all indexes in step: the lines of its webhook, the leases, and the index
 * of what is due.
 */
export class StoredDelivery {
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
  /** Until then, the verdict on the last attempt forbids the next one. */
  notBeforeMs = 0;
  /** The end of the lease of the attempt in flight. */
  leaseEndsAtMs = 0;

  readonly #dueIndex: TimeHeap<StoredDelivery>;
  /** The result of the last attempt; `null` until it has ended. */
  #result: AttemptResult | null = null;
  /** Attempts before the last one, oldest first. Most deliveries have none. */
  #before: readonly AttemptRecord[] = NONE;
  #state: DeliveryState;
  #deadReason: DeadReason | null = null;
  #startedAtMs = 0;
  /** The same by the monotonic clock, which the rate goes by. */
  #startedSteadyMs = 0;
  #due: Timed<StoredDelivery> | undefined;
  #lease: Timed<StoredDelivery> | undefined;
  #retrySequence: number | undefined;

  /** The caller sets `dueAtMs` of a queued delivery, when it schedules it. */
  constructor(
    message: StoredMessage,
    webhook: StoredWebhook,
    dueIndex: TimeHeap<StoredDelivery>,
    state: 'queued' | 'held',
  ) {
    this.message = message;
    this.webhook = webhook;
    this.#dueIndex = dueIndex;
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
    if (this.#due === undefined) this.#due = this.#dueIndex.add(this, atMs);
    else this.#dueIndex.move(this.#due, atMs);
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
    if (this.#result === null) return this.#before;
    const { status, durationMs, error, response } = this.#result;
    const startedAtMs = this.#startedAtMs;
    const last = { attempt: this.attempt, startedAtMs, status, durationMs, error, response };
    return withAttempt(this.#before, last);
  }

  /** Starts an attempt, which counts towards the rate. */
  start({ nowMs, steadyMs }: Instant, leaseMs: number): void {
    this.#before = this.attempts;
    this.#result = null;
    this.webhook.wasRetryLast = this.#state !== 'queued';
    this.#enter('sending');
    this.#leaveRetries();
    this.attempt += 1;
    this.webhook.starts.add(steadyMs);
    this.#startedAtMs = nowMs;
    this.#startedSteadyMs = steadyMs;
    this.leaseEndsAtMs = nowMs + leaseMs;
    this.dueAtMs = this.leaseEndsAtMs - LEASE_SLACK_MS;
    this.#lease = this.webhook.leases.add(this, this.leaseEndsAtMs);
  }

  /** Whether an attempt is in flight whose lease is not over. */
  isLeased(nowMs: number): boolean {
    return this.#state === 'sending' && nowMs < this.leaseEndsAtMs;
  }

  /** Whether the attempt in flight is the one that started then. */
  isInFlightSince(startedAtMs: number | null): boolean {
    return this.#state === 'sending' && this.#startedAtMs === startedAtMs;
  }

  /**
   * Withdraws the attempt in flight, as if it had never started: queued again, or a retry that has yet to join its
   * line.
   */
  withdraw(nowMs: number): void {
    this.dropLease();
    this.webhook.starts.remove(this.#startedSteadyMs);
    this.attempt -= 1;
    this.#enter(this.attempt === 0 && this.run === 1 ? 'queued' : 'waiting');
    this.dueAtMs = nowMs;
  }

  /** No longer counts its attempt as in flight. */
  dropLease(): void {
    if (this.#lease !== undefined) this.webhook.leases.remove(this.#lease);
    this.#lease = undefined;
  }

  /** Logs how the attempt in flight went. What becomes of the delivery is the next move. */
  end(result: AttemptResult): void {
    this.dropLease();
    const { status, durationMs, error, response } = result;
    this.#result = { status, durationMs, error, response };
  }

  /** Logs the attempt in flight as one whose sender died. The next one may start at once. */
  lose(nowMs: number): void {
    this.lostAttempts += 1;
    const durationMs = this.leaseEndsAtMs - this.#startedAtMs;
    this.end({ status: null, durationMs, error: 'lost', response: null });
    this.waitUntil(nowMs);
  }

  waitUntil(atMs: number): void {
    this.#enter('waiting');
    this.notBeforeMs = atMs;
    this.dueAtMs = atMs;
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
    this.unpark();
    this.dropLease();
    this.#leaveRetries();
    this.#leaveDueIndex();
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
    this.unpark();
    this.#state = state;
    byState[state]?.add(this.sequence, this);
  }

  #leaveRetries(): void {
    if (this.#retrySequence !== undefined) this.webhook.retries.delete(this.#retrySequence);
    this.#retrySequence = undefined;
  }

  #leaveDueIndex(): void {
    if (this.#due !== undefined) this.#dueIndex.remove(this.#due);
    this.#due = undefined;
  }
}
