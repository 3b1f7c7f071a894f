import { describe, expect, it, vi } from 'vitest';
import { defineScript } from './define-script.ts';
import { ScriptBatches, type SendAlone, type SendCalls } from './script-batches.ts';

const lua = `return reply('done')`;
const batched = defineScript({ name: 'batched', batched: true, keys: ['root'], args: {}, lua });

function fixture() {
  const send = vi.fn<SendCalls<string>>(async (script, { keys, sharedArgs }, calls) =>
    calls.map((args) => [script.name, ...keys, ...sharedArgs, ...args].join(' ')),
  );
  const sizes = () => send.mock.calls.map(([, , { length }]) => length);
  const sendAlone: SendAlone<string> = async (script, head, args) =>
    String((await send(script, head, [args]))[0]);
  return { send, sizes, batches: new ScriptBatches(send, sendAlone) };
}

const head = (key: string, ...sharedArgs: string[]) => ({ keys: [key], sharedArgs });
const endOfCallback = () => new Promise<void>((resolve) => void process.nextTick(resolve));

describe('the calls of a batched script', () => {
  it('are sent together if their keys are the same', async () => {
    const { batches, sizes } = fixture();
    const calls = ['a', 'a', 'b', 'a'].map((key, i) => batches.call(batched, head(key), [i]));
    expect(await Promise.all(calls)).toEqual([
      'batched a 0',
      'batched a 1',
      'batched b 2',
      'batched a 3',
    ]);
    expect(sizes()).toEqual([3, 1]);
  });

  it('are not sent together if their shared arguments differ', async () => {
    const { batches, sizes } = fixture();
    const calls = ['x', 'x', 'y'].map((shared, i) => batches.call(batched, head('a', shared), [i]));
    expect(await Promise.all(calls)).toEqual(['batched a x 0', 'batched a x 1', 'batched a y 2']);
    expect(sizes()).toEqual([2, 1]);
  });

  it('are sent in several commands of at most sixteen calls', async () => {
    const { batches, sizes } = fixture();
    const count = 40;
    await Promise.all(
      Array.from({ length: count }, (_, i) => batches.call(batched, head('a'), [i])),
    );
    expect(sizes()).toEqual([16, 16, 8]);
  });

  it('are sent in several commands if their arguments have more than 16,384 characters in total', async () => {
    const { batches, sizes } = fixture();
    // The second and the third fit into one command. The fourth is too long by itself.
    const lengths = [9_800, 9_800, 4_900, 49_000, 1_600];
    await Promise.all(
      lengths.map((length) => batches.call(batched, head('a'), ['x'.repeat(length)])),
    );
    expect(sizes()).toEqual([1, 2, 1, 1]);
  });

  it('are sent again, each in its own command, if their command did not run them', async () => {
    const { batches, send, sizes } = fixture();
    send.mockResolvedValueOnce(['first', 'not_run', 'third', 'not_run']);
    const calls = [1, 2, 3, 4].map((i) => batches.call(batched, head('a'), [i]));
    expect(await Promise.all(calls)).toEqual(['first', 'batched a 2', 'third', 'batched a 4']);
    expect(sizes()).toEqual([4, 1, 1]);
  });

  it('are sent together if they follow within twenty microtasks', async () => {
    const { batches, sizes } = fixture();
    const callAfter = async (microtasks: number) => {
      for (let step = 0; step < microtasks; step += 1) await Promise.resolve();
      return batches.call(batched, head('a'), [microtasks]);
    };
    await Promise.all([callAfter(1), callAfter(5), callAfter(20)]);
    expect(sizes()).toEqual([3]);
  });

  it('are sent at the end of the callback of the event loop', async () => {
    const { batches, sizes } = fixture();
    const call = batches.call(batched, head('a'), []);
    await endOfCallback();
    expect(sizes()).toEqual([1]);
    await call;
  });

  it('are rejected without the others if they fail or get no result', async () => {
    const { batches, send } = fixture();
    send.mockResolvedValueOnce(['first', new Error('broken')]);
    const [first, second, third] = await Promise.allSettled(
      [1, 2, 3].map((i) => batches.call(batched, head('a'), [i])),
    );
    expect(first).toMatchObject({ value: 'first' });
    expect(second).toMatchObject({ reason: { message: 'broken' } });
    expect(third).toMatchObject({ reason: { message: 'The script batched left a call out.' } });
  });

  it('are all rejected if their command is rejected', async () => {
    const { batches, send } = fixture();
    send.mockRejectedValueOnce(new Error('closed'));
    const calls = [1, 2].map((i) => batches.call(batched, head('a'), [i]));
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { message: 'closed' } });
    }
  });
});
