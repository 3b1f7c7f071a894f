import { describe, expect, it, vi } from 'vitest';
import { defineScript } from './define-script.ts';
import { ScriptBatches, type SendCalls } from './script-batches.ts';

const lua = `return answer('done')`;
const batched = defineScript({ name: 'batched', batched: true, keys: ['root'], args: {}, lua });
const single = defineScript({ name: 'single', keys: ['root'], args: {}, lua });

function scene() {
  const send = vi.fn<SendCalls<string>>(async (script, keys, calls) =>
    calls.map((args) => [script.name, ...keys, ...args].join(' ')),
  );
  return { send, batches: new ScriptBatches(send) };
}

describe('the calls of a batched script', () => {
  it('are sent together only where their keys are the same', async () => {
    const { send, batches } = scene();
    const calls = ['a', 'a', 'b', 'a'].map((key, nth) => batches.call(batched, [key], [nth]));
    expect(await Promise.all(calls)).toEqual([
      ...['batched a 0', 'batched a 1', 'batched b 2', 'batched a 3'],
    ]);
    expect(send.mock.calls.map(([, keys, { length }]) => [...keys, length])).toEqual([
      ['a', 2],
      ['b', 1],
      ['a', 1],
    ]);
  });

  it('are sent at the end of their turn, when all whom an answer has woken have called', async () => {
    const { send, batches } = scene();
    const answer = Promise.resolve();
    const afterSteps = async (steps: number) => {
      for (let step = 0; step < steps; step += 1) await answer;
      return batches.call(batched, ['a'], [steps]);
    };
    await Promise.all([afterSteps(1), afterSteps(5), afterSteps(20)]);
    expect(send).toHaveBeenCalledTimes(1);
    await batches.call(batched, ['a'], []);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('all reject where their command does', async () => {
    const { send, batches } = scene();
    send.mockRejectedValueOnce(new Error('closed'));
    const calls = [1, 2].map((nth) => batches.call(batched, ['a'], [nth]));
    for (const one of await Promise.allSettled(calls)) {
      expect(one).toMatchObject({ reason: { message: 'closed' } });
    }
  });

  it('all reject where one is not answered', async () => {
    const { send, batches } = scene();
    send.mockResolvedValueOnce([]);
    await expect(batches.call(batched, ['a'], [])).rejects.toThrow('batched');
  });
});

describe('the calls of any other script', () => {
  it('are sent at once, each by itself', async () => {
    const { send, batches } = scene();
    const calls = [1, 2].map((nth) => batches.call(single, ['a'], [nth]));
    expect(send).toHaveBeenCalledTimes(2);
    expect(await Promise.all(calls)).toEqual(['single a 1', 'single a 2']);
  });
});
