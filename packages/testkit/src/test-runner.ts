/** Registers a test that fails if `body` rejects. */
export interface RegisterTest {
  (name: string, body: () => Promise<void>): unknown;
  /** Registers a test that is not run. Without `skip`, tests that the harness cannot run fail. */
  skip?(name: string, body: () => Promise<void>): unknown;
}

/** The methods that the kit calls of a test runner, such as `node:test`, Vitest, Jest or Mocha. */
export interface TestRunner {
  /** Groups the tests that `body` registers. */
  describe(name: string, body: () => void): unknown;
  readonly it: RegisterTest;
}
