import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { mapMethods } from '../storage/map-methods.ts';
import { emitFaultOf } from './emit-fault-of.ts';

/**
 * Wraps the methods that the host calls, so that they emit the fault of an `AuthError` before they reject with it. Any
 * other error is the caller's own mistake, and is not emitted.
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
