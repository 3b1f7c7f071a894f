import type { Fixture } from '../fixtures/fixture.ts';
import type { CaseSuite, Proof } from '../suite.ts';
import { CONTRACT, type Rule } from './contract.ts';
import type { EngineConnection } from './engine-connection.ts';

/** What a test case of engines gets as `t`: the first connection, the clock and further connections. */
export interface EngineFixture extends EngineConnection, Fixture<EngineConnection> {}

export interface EngineCase {
  /** The sentence of the contract that the test case proves. */
  readonly rule: Rule;
  readonly prove: Proof<EngineFixture>;
}

type Proofs = Readonly<Record<string, Proof<EngineFixture>>>;

/** One capability of engines. */
export interface EngineSuite extends CaseSuite<EngineCase> {
  /** The clock that the engine is opened with: the clock of the kit, or none, as in production. */
  readonly clock: 'turned' | 'own';
}

type Heading = Pick<EngineSuite, 'name'> & Partial<Pick<EngineSuite, 'needs' | 'clock'>>;

/** @param proofs - By the name of the sentence in `CONTRACT` that they prove, then by title. */
export function engineSuite(
  heading: string | Heading,
  proofs: Readonly<Partial<Record<keyof typeof CONTRACT, Proofs>>>,
): EngineSuite {
  const cases = Object.entries(proofs).flatMap(([name, proofsOfRule]) => {
    const rule = CONTRACT[name as keyof typeof CONTRACT];
    return Object.entries(proofsOfRule).map(([title, prove]) => [title, { rule, prove }] as const);
  });
  return {
    clock: 'turned',
    ...(typeof heading === 'string' ? { name: heading } : heading),
    cases: Object.fromEntries(cases),
  };
}
