import { ConfigError } from '../errors.ts';

/**
 * Rejects a listener that could never be called: faults are not printed while there is a listener, and would be lost.
 *
 * @throws {ConfigError} `on_security_event_invalid`
 */
export function assertListener(name: string, listener: unknown): void {
  if (typeof listener === 'function') return;
  throw new ConfigError(
    'on_security_event_invalid',
    `${name} must be a function of an event, such as (event) => log(event)`,
  );
}
