/** What the kit needs of a test runner: `node:test`, Vitest, Jest and Mocha all have it. */
export interface TestRunner {
  /** Groups the tests that `body` registers. */
  describe(name: string, body: () => void): unknown;
  /** Registers a test, which fails if `body` rejects. */
  it(name: string, body: () => Promise<void>): unknown;
}
