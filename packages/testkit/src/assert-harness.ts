/**
 * Rejects a call without its runner or harness, which JavaScript allows.
 *
 * @param certify - the name of the function that was called
 * @throws {TypeError}
 */
export function assertHarness(certify: string, runner: unknown, harness: unknown): void {
  const { describe, it } = Object(runner) as Readonly<Record<string, unknown>>;
  const { open } = Object(harness) as Readonly<Record<string, unknown>>;
  if ([describe, it, open].every((method) => typeof method === 'function')) return;
  throw new TypeError(
    `${certify} takes a test runner and a harness: ${certify}({ describe, it }, { open })`,
  );
}
