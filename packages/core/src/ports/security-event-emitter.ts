import type { AccountId } from '../account-id.ts';
import { sanitizeError } from '../faults/sanitize-error.ts';
import { warn } from '../warning.ts';
import { assertListener } from './assert-listener.ts';
import { type Clock, monotonicMs } from './clock.ts';
import type {
  SecurityEvent,
  SecurityEventListener,
  SecurityEvents,
  TimedSecurityEvent,
} from './security-events.ts';

/** For how long after an event more rejections of its kind are only counted, ms. */
const THROTTLE_MS = 60_000;
/** The most kinds that are remembered: each session has its own kinds, so nothing else limits their number. */
const MAX_REMEMBERED = 10_000;

export interface SecurityEventEmitter extends SecurityEvents<AccountId> {
  emit(event: SecurityEvent): void;
}

/**
 * Events have two groups of listeners. Subscribers are for people: while there is one, faults are not printed to the
 * console, and of repeated rejections, which a single client can cause in any number, subscribers get one a minute.
 * Observers are for code that counts events or passes them on: they get every event, and faults are printed regardless
 * of them.
 */
export function createSecurityEvents(clock: Clock): SecurityEventEmitter {
  const subscribers = new Set<SecurityEventListener<AccountId>>();
  const observers = new Set<SecurityEventListener<AccountId>>();
  const throttle = throttleRepeatedRejections(clock);
  let hasWarned = false;

  /** A failing listener must not break the code that emits, neither by an exception nor by a rejection. */
  async function notify(
    listener: SecurityEventListener<AccountId>,
    event: TimedSecurityEvent<AccountId>,
  ): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      const name = error instanceof Error ? error.name : typeof error;
      warn('LATCHHOOK_LISTENER', `a listener of security events failed: ${name}`);
    }
  }

  return {
    subscribe: (listener) => addListener(subscribers, listener),
    observe: (listener) => addListener(observers, listener),
    emit(event) {
      const sanitized =
        event.type === 'fault' ? { ...event, error: sanitizeError(event.error) } : event;
      if (subscribers.size === 0) printFault(sanitized);
      if (subscribers.size + observers.size === 0) return;
      const atMs = clock.nowMs();
      for (const listener of observers) void notify(listener, copyOf(sanitized, atMs));
      if (subscribers.size === 0) return;
      const throttled = throttle(sanitized);
      if (throttled === null) return;
      for (const listener of subscribers) void notify(listener, copyOf(throttled, atMs));
    },
  };
}

/** Copies the event's lists too: they belong to the grant that is about to be signed. */
function copyOf(event: SecurityEvent, atMs: number): TimedSecurityEvent<AccountId> {
  const copy = { atMs, ...event };
  for (const [name, value] of Object.entries(copy)) {
    if (Array.isArray(value)) Object.assign(copy, { [name]: [...value] });
  }
  return copy;
}

/** Returns a function that removes the listener. */
function addListener(
  group: Set<SecurityEventListener<AccountId>>,
  listener: SecurityEventListener<AccountId>,
): () => void {
  assertListener('the listener of security events', listener);
  group.add(listener);
  return () => void group.delete(listener);
}

/** For an app without a subscriber, in which faults would otherwise go unnoticed. */
function printFault(event: SecurityEvent): void {
  if (event.type !== 'fault') return;
  console.error(`latchhook: fault of the ${event.where}:`, event.error);
}

/** Rejections that one client can cause in any number; `count` says how many rejections an event stands for. */
type RepeatedRejection = Extract<
  SecurityEvent,
  { readonly type: 'access_token.rejected' | 'enrolment.failed' }
>;

/**
 * Passes on the first repeated rejection of each kind, then at most one a minute: with a swapped key every request is
 * rejected, and a thief of a session may try all day. No timer reports withheld rejections: the next rejection counts
 * them. Passes on all other events.
 *
 * @returns a function that returns the event to pass on, or `null` for an event that is withheld
 */
function throttleRepeatedRejections(clock: Clock): (event: SecurityEvent) => SecurityEvent | null {
  /** By kind, the rejection that was passed on last. The kinds are in the order of these rejections. */
  const lastPassedOn = new Map<string, { readonly atMs: number; withheld: number }>();

  return (event) => {
    if (!isRepeatedRejection(event)) return event;
    const nowMs = monotonicMs(clock);
    const kind = kindOf(event);
    const lastOfKind = lastPassedOn.get(kind);
    if (lastOfKind !== undefined && nowMs - lastOfKind.atMs < THROTTLE_MS) {
      lastOfKind.withheld += event.count;
      return null;
    }
    lastPassedOn.delete(kind);
    lastPassedOn.set(kind, { atMs: nowMs, withheld: 0 });
    const [oldestKind] = lastPassedOn.keys();
    if (oldestKind !== undefined && lastPassedOn.size > MAX_REMEMBERED) {
      lastPassedOn.delete(oldestKind);
    }
    return { ...event, count: event.count + (lastOfKind?.withheld ?? 0) };
  };
}

/** Whether the event is throttled. Wrong codes are not: a quota limits them, and each of them matters. */
function isRepeatedRejection(event: SecurityEvent): event is RepeatedRejection {
  if (event.type === 'access_token.rejected') return true;
  return event.type === 'enrolment.failed' && event.reason !== 'wrong_code';
}

function kindOf(event: RepeatedRejection): string {
  return event.type === 'enrolment.failed' ? `${event.reason} ${event.sessionId}` : event.reason;
}
