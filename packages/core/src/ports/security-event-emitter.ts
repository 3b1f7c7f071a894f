import { reducedError } from '../faults/reduced-error.ts';
import { warn } from '../warning.ts';
import type { Clock } from './clock.ts';
import type {
  SecurityEvent,
  SecurityEventListener,
  SecurityEvents,
  TimedSecurityEvent,
} from './security-events.ts';
import { isRepeatedRefusal, throttleRepeatedRefusals } from './throttle-repeated-refusals.ts';

export interface SecurityEventEmitter extends SecurityEvents {
  emit(event: SecurityEvent): void;
}

export function createSecurityEvents(clock: Clock): SecurityEventEmitter {
  const listeners = new Set<SecurityEventListener>();
  const observers = new Set<SecurityEventListener>();
  const throttled = throttleRepeatedRefusals(clock);
  let warned = false;

  /** A listener must not break what it listens to, neither by a throw nor by a rejection. */
  async function notify(listener: SecurityEventListener, event: TimedSecurityEvent): Promise<void> {
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
      const shown = event.type === 'fault' ? { ...event, error: reducedError(event.error) } : event;
      if (listeners.size === 0) logFault(shown);
      if (listeners.size + observers.size === 0) return;
      const atMs = clock.nowMs();
      for (const listener of observers) void notify(listener, { ...shown, atMs });
      if (listeners.size === 0) return;
      const heard = isRepeatedRefusal(shown) ? throttled(shown) : shown;
      if (heard === null) return;
      for (const listener of listeners) void notify(listener, { ...heard, atMs });
    },
  };
}

function join(group: Set<SecurityEventListener>, listener: SecurityEventListener): () => void {
  group.add(listener);
  return () => void group.delete(listener);
}

/** For an app without a listener: a fault that nobody hears of is the worst kind. */
function logFault(event: SecurityEvent): void {
  if (event.type !== 'fault') return;
  console.error(`latchhook: fault of the ${event.where}:`, event.error);
}
