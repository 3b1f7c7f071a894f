import type { StorageEngine } from '@latchhook/core/storage';
import type { Fixture } from '../fixtures/fixture.ts';
import type { CaseSuite, Proof } from '../suite.ts';
import type { Rule } from './contract.ts';

/** What a claim about an engine is tried on: a new, empty one. */
export interface EngineFixture extends Fixture<StorageEngine> {
  /** The first connection. */
  readonly engine: StorageEngine;
}

export interface EngineCase {
  /** The sentence of the contract that it proves. */
  readonly rule: Rule;
  readonly prove: Proof<EngineFixture>;
}

/** One capability of engines. */
export interface EngineSuite extends CaseSuite<EngineCase> {
  /** Whose time the engine is opened with: the clock that the kit turns, or, as in production, its own. */
  readonly clock: 'turned' | 'own';
}
