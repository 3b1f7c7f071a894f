/** What the kit needs of a test runner: `node:test`, vitest, jest and mocha all have it. */
export interface TestRunner {
  /** Groups the tests that `body` registers. */
  describe(name: string, body: () => void): unknown;
  /** Registers a test, which fails where `body` rejects. */
  it(name: string, body: () => Promise<void>): unknown;
}
