import { describe, expect, it, vi } from 'vitest';
import { defineScript } from './define-script.ts';
import { ScriptBatches, type SendCalls } from './script-batches.ts';

const lua = `return answer('done')`;
const batched = defineScript({ name: 'batched', batched: true, keys: ['root'], args: {}, lua });
const single = defineScript({ name: 'single', keys: ['root'], args: {}, lua });

function fixture() {
  const send = vi.fn<SendCalls<string>>(async (script, keys, calls) =>
    calls.map((args) => [script.name, ...keys, ...args].join(' ')),
  );
  const sizes = () => send.mock.calls.map(([, , { length }]) => length);
  return { send, sizes, batches: new ScriptBatches(send) };
}

const endOfCallback = () => new Promise<void>((resolve) => void process.nextTick(resolve));

describe('the calls of a batched script', () => {
  it('are sent together if their keys are the same', async () => {
    const { batches, sizes } = fixture();
    const calls = ['a', 'a', 'b', 'a'].map((key, i) => batches.call(batched, [key], [i]));
    expect(await Promise.all(calls)).toEqual([
      'batched a 0',
      'batched a 1',
      'batched b 2',
      'batched a 3',
    ]);
    expect(sizes()).toEqual([3, 1]);
  });

  it('are sent sixteen in a command at most', async () => {
    const { batches, sizes } = fixture();
    await Promise.all(Array.from({ length: 40 }, (_, i) => batches.call(batched, ['a'], [i])));
    expect(sizes()).toEqual([16, 16, 8]);
  });

  it('are sent in more commands if their arguments are long', async () => {
    const { batches, sizes } = fixture();
    const lengths = [10_000, 10_000, 5_000, 50_000, 1_000];
    await Promise.all(lengths.map((length) => batches.call(batched, ['a'], ['x'.repeat(length)])));
    expect(sizes()).toEqual([1, 2, 1, 1]);
  });

  it('are sent again, each alone, if their command left them out', async () => {
    const { batches, send, sizes } = fixture();
    send.mockResolvedValueOnce(['first', 'left', 'third', 'left']);
    const calls = [1, 2, 3, 4].map((i) => batches.call(batched, ['a'], [i]));
    expect(await Promise.all(calls)).toEqual(['first', 'batched a 2', 'third', 'batched a 4']);
    expect(sizes()).toEqual([4, 1, 1]);
  });

  it('wait for calls that follow within twenty microtasks', async () => {
    const { batches, sizes } = fixture();
    const answer = Promise.resolve();
    const afterSteps = async (steps: number) => {
      for (let step = 0; step < steps; step += 1) await answer;
      return batches.call(batched, ['a'], [steps]);
    };
    await Promise.all([afterSteps(1), afterSteps(5), afterSteps(20)]);
    expect(sizes()).toEqual([3]);
  });

  it('are sent by the end of the callback', async () => {
    const { batches, sizes } = fixture();
    const call = batches.call(batched, ['a'], []);
    await endOfCallback();
    expect(sizes()).toEqual([1]);
    await call;
  });

  it('are rejected alone if they fail or get no result', async () => {
    const { batches, send } = fixture();
    send.mockResolvedValueOnce(['first', new Error('broken')]);
    const [first, second, third] = await Promise.allSettled(
      [1, 2, 3].map((i) => batches.call(batched, ['a'], [i])),
    );
    expect(first).toMatchObject({ value: 'first' });
    expect(second).toMatchObject({ reason: { message: 'broken' } });
    expect(third).toMatchObject({ reason: { message: 'The script batched left a call out.' } });
  });

  it('are all rejected if their command is rejected', async () => {
    const { batches, send } = fixture();
    send.mockRejectedValueOnce(new Error('closed'));
    const calls = [1, 2].map((i) => batches.call(batched, ['a'], [i]));
    for (const one of await Promise.allSettled(calls)) {
      expect(one).toMatchObject({ reason: { message: 'closed' } });
    }
  });
});

describe('the calls of any other script', () => {
  it('are sent immediately, each in a separate command', async () => {
    const { batches, sizes } = fixture();
    const calls = [1, 2].map((i) => batches.call(single, ['a'], [i]));
    expect(sizes()).toEqual([1, 1]);
    expect(await Promise.all(calls)).toEqual(['single a 1', 'single a 2']);
  });
});
