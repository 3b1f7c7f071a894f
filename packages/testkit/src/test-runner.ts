/** Registers a test that fails if `body` rejects. */
export interface RegisterTest {
  (name: string, body: () => Promise<void>): unknown;
  /** Registers a test that the harness cannot run as skipped. If the runner has no `skip`, such a test fails. */
  skip?(name: string, body: () => Promise<void>): unknown;
}

/** The methods of a test runner (`node:test`, Vitest, Jest, Mocha) that the kit calls. */
export interface TestRunner {
  /** Groups the tests that `body` registers. */
  describe(name: string, body: () => void): unknown;
  readonly it: RegisterTest;
}
