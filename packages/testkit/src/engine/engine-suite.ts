import type { StorageEngine } from '@latchhook/core/storage';
import type { ClaimSuite, Proof } from '../suite.ts';
import type { Trial } from '../trials/trial.ts';
import type { Rule } from './contract.ts';

/** What a claim about an engine is tried on: a new, empty one. */
export interface EngineTrial extends Trial<StorageEngine> {
  /** The first connection. */
  readonly engine: StorageEngine;
}

export interface EngineClaim {
  /** The sentence of the contract that it proves. */
  readonly rule: Rule;
  readonly prove: Proof<EngineTrial>;
}

/** One capability of engines. */
export interface EngineSuite extends ClaimSuite<EngineClaim> {
  /** Whose time the engine is opened with: the clock that the kit turns, or, as in production, its own. */
  readonly clock: 'turned' | 'own';
}
