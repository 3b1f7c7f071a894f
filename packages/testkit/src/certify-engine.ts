import { assertHarness } from './assert-harness.ts';
import type { EngineHarness } from './engine/engine-harness.ts';
import type { EngineCase } from './engine/engine-suite.ts';
import { ENGINE_SUITES } from './engine/engine-suites.ts';
import { tryEngine } from './engine/try-engine.ts';
import { registerSuites } from './suite.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * Registers the tests that an engine must pass. An engine that passes them needs no tests of the storage that
 * `storageOn` derives.
 *
 * A failure has the sentence of the contract that is broken, the call, and the calls before.
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
  registerSuites(runner, ENGINE_SUITES, harness, (opens, testCase: EngineCase, suite) =>
    tryEngine(opens, suite, testCase),
  );
}
