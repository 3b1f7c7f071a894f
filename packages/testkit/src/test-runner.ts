/** What the kit needs of a test runner: `node:test`, vitest, jest and mocha all have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}
