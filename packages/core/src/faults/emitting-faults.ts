import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { mapMethods } from '../storage/map-methods.ts';
import { emitFaultOf } from './emit-fault-of.ts';

/**
 * Wraps methods that the host calls: if one rejects with an `AuthError` that is a fault, the fault is emitted first.
 * Other errors are mistakes of the host in the call, and are not emitted.
 */
export function emittingFaults<Control extends object>(
  control: Control,
  emit: (event: SecurityEvent) => void,
): Control {
  const methods = Object.entries(control).filter(([, member]) => typeof member === 'function');
  const names = Object.fromEntries(methods.map(([name]) => [name, true]));
  const calls = mapMethods(control, names as Record<keyof Control, true>, async (call) => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof AuthError) emitFaultOf(error, emit);
      throw error;
    }
  });
  return { ...control, ...calls };
}
