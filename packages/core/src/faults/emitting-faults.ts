import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { mapMethods } from '../storage/map-methods.ts';
import { emitFaultOf } from './emit-fault-of.ts';

/**
 * The same calls, for the host: a fault that one of them ends in is emitted, and rejects as before. Mistakes of the
 * host, which are no `AuthError`, are not.
 */
export function emittingFaults<Control extends object>(
  control: Control,
  emit: (event: SecurityEvent) => void,
): Control {
  const names = Object.keys(control).map((name) => [name, true]);
  const methods = Object.fromEntries(names) as Readonly<Record<keyof Control, true>>;
  return mapMethods(control, methods, async (call) => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof AuthError) emitFaultOf(error, emit);
      throw error;
    }
  });
}
