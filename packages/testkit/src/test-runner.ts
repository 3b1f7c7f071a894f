/** Registers a test, which fails if `body` rejects. */
export interface RegisterTest {
  (name: string, body: () => Promise<void>): unknown;
  /** Registers one that is not run. Without it, what the harness cannot try is reported as failed. */
  skip?(name: string, body: () => Promise<void>): unknown;
}

/** What the kit needs of a test runner: `node:test`, Vitest, Jest and Mocha all have it. */
export interface TestRunner {
  /** Groups the tests that `body` registers. */
  describe(name: string, body: () => void): unknown;
  readonly it: RegisterTest;
}
