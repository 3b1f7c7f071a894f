import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { mapMethods } from '../storage/map-methods.ts';
import { emitFaultOf } from './emit-fault-of.ts';

/**
 * The same, for the host: a fault that one of them ends in is emitted, and rejects as before. Mistakes of the
 * host, which are no `AuthError`, are not.
 */
export function emittingFaults<Control extends object>(
  control: Control,
  emit: (event: SecurityEvent) => void,
): Control {
  const names = Object.entries(control).filter(([, member]) => typeof member === 'function');
  const methods = Object.fromEntries(names.map(([name]) => [name, true]));
  const calls = mapMethods(control, methods as Record<keyof Control, true>, async (call) => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof AuthError) emitFaultOf(error, emit);
      throw error;
    }
  });
  return { ...control, ...calls };
}
