import { assertHarness } from './assert-harness.ts';
import type { EngineHarness } from './engine/engine-harness.ts';
import type { EngineCase } from './engine/engine-suite.ts';
import { ENGINE_SUITES } from './engine/engine-suites.ts';
import { tryEngine } from './engine/try-engine.ts';
import { registerSuites } from './suite.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * Registers the tests that an engine must pass. On one that does, all that `storageOn` derives holds.
 *
 * A test that fails says which sentence of the contract is broken, by which call, and what was called before it.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import { systemClock } from '@latchhook/core';
 * import { memoryEngine } from '@latchhook/core/storage';
 * import { certifyEngine } from '@latchhook/testkit';
 *
 * certifyEngine({ describe, it }, {
 *   open: async ({ clock = systemClock }) => {
 *     const engine = memoryEngine(clock);
 *     return { connect: () => engine, close: async () => {} };
 *   },
 * });
 * ```
 */
export function certifyEngine(runner: TestRunner, harness: EngineHarness): void {
  assertHarness('certifyEngine', runner, harness);
  registerSuites(runner, ENGINE_SUITES, harness, (opens, claim: EngineCase, suite) =>
    tryEngine(opens, suite, claim),
  );
}
