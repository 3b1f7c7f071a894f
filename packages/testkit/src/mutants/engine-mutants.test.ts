import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import { ENGINE_SUITES } from '../engine/engine-suites.ts';
import { engineHarness } from '../self-test/faulty-engines.ts';
import { casesAgainst } from './cases-against.ts';
import { ENGINE_MUTANTS } from './engine-mutants.ts';

const referenceHarness = engineHarness();
const failed = new Set<string>();

// Not `$name`, which Vitest would quote and shorten.
const mutantsByName = ENGINE_MUTANTS.map((mutant) => [mutant.name, mutant] as const);

describe('certifyEngine', () => {
  it.concurrent.each(mutantsByName)('rejects an engine that %s', async (_name, mutant) => {
    const failures: unknown[] = [];
    for await (const { title, failure } of casesAgainst(mutant, referenceHarness)) {
      if (failure === undefined) continue;
      failed.add(title);
      failures.push(failure);
    }
    expect(failures).not.toEqual([]);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(AssertionError);
      expect(String(failure)).toContain(`the contract: "${mutant.breaks}"`);
    }
  });

  it('has only test cases that fail for at least one of these engines', () => {
    const titles = ENGINE_SUITES.flatMap(({ name, cases }) =>
      Object.keys(cases).map((title) => `${name} > ${title}`),
    );
    expect(titles.filter((title) => !failed.has(title))).toEqual([]);
  });
});
