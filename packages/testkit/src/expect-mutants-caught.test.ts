import { systemClock } from '@latchhook/core';
import { memoryEngine } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import type { EngineHarness } from './engine/engine-harness.ts';
import { expectMutantsCaught } from './expect-mutants-caught.ts';
import { ENGINE_MUTANTS } from './mutants/engine-mutants.ts';
import { engineHarness } from './self-test/faulty-engines.ts';
import type { RegisterTest } from './test-runner.ts';

const LATE = 'rejects an engine that resolves a transaction before its commit';

function registerMutants(harness: EngineHarness) {
  const run = new Map<string, () => Promise<void>>();
  const skipped: string[] = [];
  const it: RegisterTest = Object.assign(
    (name: string, body: () => Promise<void>) => run.set(name, body),
    { skip: (name: string) => skipped.push(name) },
  );
  expectMutantsCaught({ describe: (_, body) => body(), it }, harness);
  return { run, skipped };
}

const referenceHarness = engineHarness();
const memory: EngineHarness = {
  async open({ clock = systemClock }) {
    const engine = memoryEngine(clock);
    return { connect: () => engine, close: async () => {} };
  },
};

it('expectMutantsCaught has a test per mutant, which passes if the mutant is caught', async () => {
  const { run, skipped } = registerMutants(referenceHarness);
  expect(run.size).toBe(ENGINE_MUTANTS.length);
  expect(skipped).toEqual([]);
  await run.get(LATE)?.();
});

it('expectMutantsCaught skips mutants that need disturb() if the harness lacks it', () => {
  const { run, skipped } = registerMutants(memory);
  expect(skipped).toHaveLength(3);
  expect(run.size + skipped.length).toBe(ENGINE_MUTANTS.length);
});

it("expectMutantsCaught fails if the harness hides the mutant's fault", async () => {
  const { run } = registerMutants({
    abilities: ['disturb'],
    open: async (options) => ({ ...(await memory.open(options)), disturb: async () => {} }),
  });
  await expect(run.get(LATE)?.()).rejects.toThrow(
    /^passes all test cases of the rule "Rejects unless .*disturb\(\) may not affect the commit that follows\.$/,
  );
});
