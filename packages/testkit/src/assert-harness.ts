import { uncheckedFields } from '@latchhook/core/storage';

/**
 * Rejects a call without its runner or harness, which JavaScript allows.
 *
 * @param certify - the name of the function that was called
 * @throws {TypeError}
 */
export function assertHarness(certify: string, runner: unknown, harness: unknown): void {
  const { describe, it } = uncheckedFields<Readonly<Record<string, unknown>>>(runner);
  const { open } = uncheckedFields<Readonly<Record<string, unknown>>>(harness);
  if ([describe, it, open].every((method) => typeof method === 'function')) return;
  throw new TypeError(
    `${certify} takes a test runner and a harness: ${certify}({ describe, it }, { open })`,
  );
}
