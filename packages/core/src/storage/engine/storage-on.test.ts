import { expect, it } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { memoryEngine } from './memory-engine.ts';
import type { StorageEngine } from './storage-engine.ts';
import { storageOn } from './storage-on.ts';

const clock = { ms: 1_700_000_000_000, nowMs: () => clock.ms };

/** The memory engine with a replaced `transact`. */
function engineWith(transact: (inner: StorageEngine) => StorageEngine['transact']): StorageEngine {
  const inner = memoryEngine(clock);
  const { name } = inner;
  const rest = { now: () => inner.now(), find: inner.find.bind(inner) };
  return { name, ...rest, transact: transact(inner) };
}

it.each([
  ['storage_invalid', 'an engine without methods', { name: 'mine' } as StorageEngine, {}],
  ['option_out_of_bounds', 'a deadline of 0 ms', memoryEngine(clock), { deadlineMs: 0 }],
  ['option_unknown', 'an unknown option', memoryEngine(clock), { deadline: 5 } as object],
] as const)('storageOn throws %s for %s', (code, _, engine, options) => {
  expect(() => storageOn(engine, options)).toThrow(expect.objectContaining({ code }));
});

it('a storage of storageOn is unchanged by a call that reaches the engine after its deadline', async () => {
  const beganAtMs = clock.ms;
  const releases: (() => void)[] = [];
  // Transactions that begin before the clock advances are held back until they are released.
  const engine = engineWith((inner) => async (partition, work) => {
    if (clock.ms === beganAtMs) await new Promise<void>((resolve) => releases.push(resolve));
    return inner.transact(partition, work);
  });
  const limiter = { keyPrefix: 'logins', duration: 60 };
  const penalty = storageOn(engine, { deadlineMs: 20 }).limiters(limiter).penalty('ada');
  await expect(penalty).rejects.toThrow(StorageUnavailableError);
  clock.ms += 1_000;
  for (const release of releases) release();
  expect(await storageOn(engine).limiters(limiter).get('ada', [])).toEqual([null]);
});

it('storageOn rejects with the error of the engine, unchanged', async () => {
  const error = new Error('deadlock detected');
  const engine = engineWith(() => () => Promise.reject(error));
  await expect(storageOn(engine).sessions.list('ada')).rejects.toBe(error);
});
