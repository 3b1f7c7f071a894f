import type { AccountId } from '../account-id.ts';
import { sanitizeError } from '../faults/sanitize-error.ts';
import { warn } from '../warning.ts';
import type { Clock } from './clock.ts';
import type {
  SecurityEvent,
  SecurityEventListener,
  SecurityEvents,
  TimedSecurityEvent,
} from './security-events.ts';
import { isRepeatedRejection, throttleRepeatedRejections } from './throttle-repeated-rejections.ts';

export interface SecurityEventEmitter extends SecurityEvents<AccountId> {
  emit(event: SecurityEvent): void;
}

export function createSecurityEvents(clock: Clock): SecurityEventEmitter {
  const listeners = new Set<SecurityEventListener<AccountId>>();
  const observers = new Set<SecurityEventListener<AccountId>>();
  const throttled = throttleRepeatedRejections(clock);
  let warned = false;

  /** A failing listener must not break the code that emits, neither by an exception nor by a rejection. */
  async function notify(
    listener: SecurityEventListener<AccountId>,
    event: TimedSecurityEvent<AccountId>,
  ): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      if (warned) return;
      warned = true;
      const name = error instanceof Error ? error.name : typeof error;
      warn('LATCHHOOK_LISTENER', `a listener of security events failed: ${name}`);
    }
  }

  return {
    subscribe: (listener) => join(listeners, listener),
    observe: (listener) => join(observers, listener),
    emit(event) {
      const shown =
        event.type === 'fault' ? { ...event, error: sanitizeError(event.error) } : event;
      if (listeners.size === 0) logFault(shown);
      if (listeners.size + observers.size === 0) return;
      const atMs = clock.nowMs();
      for (const listener of observers) void notify(listener, copyOf(shown, atMs));
      if (listeners.size === 0) return;
      const heard = isRepeatedRejection(shown) ? throttled(shown) : shown;
      if (heard === null) return;
      for (const listener of listeners) void notify(listener, copyOf(heard, atMs));
    },
  };
}

/** Copies the event's lists too: they belong to the grant that is about to be signed. */
function copyOf(event: SecurityEvent, atMs: number): TimedSecurityEvent<AccountId> {
  const copy = { ...event, atMs };
  for (const [name, value] of Object.entries(copy)) {
    if (Array.isArray(value)) Object.assign(copy, { [name]: [...value] });
  }
  return copy;
}

function join(
  group: Set<SecurityEventListener<AccountId>>,
  listener: SecurityEventListener<AccountId>,
): () => void {
  group.add(listener);
  return () => void group.delete(listener);
}

/** For an app without a listener, where faults would otherwise go unnoticed. */
function logFault(event: SecurityEvent): void {
  if (event.type !== 'fault') return;
  console.error(`latchhook: fault of the ${event.where}:`, event.error);
}
