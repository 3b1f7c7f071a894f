import type { Clock } from './clock.ts';
import type { SecurityEvent, SecurityEvents, TimedSecurityEvent } from './telemetry.ts';
import { warn } from './warning.ts';

export interface SecurityEventEmitter extends SecurityEvents {
  emit(event: SecurityEvent): void;
}

export function createSecurityEvents(clock: Clock): SecurityEventEmitter {
  const listeners = new Set<(event: TimedSecurityEvent) => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit(event) {
      if (listeners.size === 0) {
        logFault(event);
        return;
      }
      const timed = { ...event, atMs: clock.nowMs() };
      for (const listener of listeners) {
        try {
          listener(timed);
        } catch (error) {
          // Who watches must not be able to break what is watched.
          const name = error instanceof Error ? error.name : typeof error;
          warn('LATCHHOOK_LISTENER', `a listener of security events threw: ${name}`);
        }
      }
    },
  };
}

/**
 * For an app without a listener: a fault that nobody hears of is the worst kind. The stack alone is printed,
 * since errors of drivers carry their commands as properties.
 */
function logFault(event: SecurityEvent): void {
  if (event.type !== 'fault') return;
  const { error, where } = event;
  console.error(`latchhook: fault of the ${where}:`, error instanceof Error ? error.stack : error);
}
