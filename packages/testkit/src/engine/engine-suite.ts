import type { StorageEngine } from '@latchhook/core/storage';
import type { Fixture } from '../fixtures/fixture.ts';
import type { CaseSuite, Proof } from '../suite.ts';
import type { Rule } from './contract.ts';

/** The new, empty engine that a test case gets. */
export interface EngineFixture extends Fixture<StorageEngine> {
  /** The first connection. */
  readonly engine: StorageEngine;
}

export interface EngineCase {
  /** The sentence of the contract that the test case proves. */
  readonly rule: Rule;
  readonly prove: Proof<EngineFixture>;
}

/** One capability of engines. */
export interface EngineSuite extends CaseSuite<EngineCase> {
  /** The clock that the engine is opened with: the clock of the kit, or none, like in production. */
  readonly clock: 'turned' | 'own';
}

/** Test cases by title, all of which prove the same sentence of the contract. */
export function casesThatProve(
  rule: Rule,
  proofs: Readonly<Record<string, Proof<EngineFixture>>>,
): EngineSuite['cases'] {
  const cases = Object.entries(proofs).map(([title, prove]) => [title, { rule, prove }]);
  return Object.fromEntries(cases);
}
