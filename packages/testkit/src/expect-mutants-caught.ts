import assert from 'node:assert/strict';
import { assertHarness } from './assert-harness.ts';
import type { EngineHarness } from './engine/engine-harness.ts';
import { casesAgainst } from './mutants/cases-against.ts';
import type { EngineMutant } from './mutants/engine-mutant.ts';
import { ENGINE_MUTANTS } from './mutants/engine-mutants.ts';
import { isAble, skip } from './suite.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * Registers a test for each fault of {@link ENGINE_MUTANTS}. A test adds the fault to your engine, and passes if
 * `certifyEngine` rejects the result. A test that fails shows that the harness hides the fault.
 */
export function expectMutantsCaught(runner: TestRunner, harness: EngineHarness): void {
  assertHarness('expectMutantsCaught', runner, harness);
  runner.describe('certifyEngine', () => {
    for (const mutant of ENGINE_MUTANTS) {
      const title = `rejects an engine that ${mutant.name}`;
      if (isAble(harness, mutant.needs)) runner.it(title, () => assertCaught(mutant, harness));
      else skip(runner, title, mutant.needs);
    }
  });
}

async function assertCaught(mutant: EngineMutant, harness: EngineHarness): Promise<void> {
  for await (const { failure } of casesAgainst(mutant, harness)) {
    if (failure !== undefined) return;
  }
  assert.fail(
    `passes all test cases of the rule "${mutant.breaks}": the harness hides the fault. ` +
      'All connections may be one, the clock may be ignored, or disturb() may not affect the commit that follows.',
  );
}
