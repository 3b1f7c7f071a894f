import type { EngineHarness } from '../engine/engine-harness.ts';
import { ENGINE_SUITES } from '../engine/engine-suites.ts';
import { tryEngine } from '../engine/try-engine.ts';
import { wrapConnections } from '../fixtures/wrap-connections.ts';
import { isAble } from '../suite.ts';
import type { EngineMutant } from './engine-mutant.ts';

interface TestedCase {
  readonly title: string;
  /** `undefined` if the test case passed. */
  readonly failure: unknown;
}

/** Runs a mutant against the test cases of the rule that it breaks, one after the other. */
export async function* casesAgainst(
  { mutate, breaks }: EngineMutant,
  harness: EngineHarness,
): AsyncGenerator<TestedCase> {
  const mutated = wrapConnections(harness, mutate);
  for (const suite of ENGINE_SUITES.filter(({ needs }) => isAble(harness, needs))) {
    for (const [title, testCase] of Object.entries(suite.cases)) {
      if (testCase.rule !== breaks) continue;
      const failure = await tryEngine(mutated, suite, testCase).catch((error: unknown) => error);
      yield { title: `${suite.name} > ${title}`, failure };
    }
  }
}
