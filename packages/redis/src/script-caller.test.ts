import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { defineScript } from './define-script.ts';
import { createScriptCaller } from './script-caller.ts';

const script = defineScript({ name: 'noop', keys: [], args: {}, lua: `return reply('done')` });

/**
 * A server whose clock the test sets, which a real Redis does not allow. It compares the guard's argument with the
 * clock, as every script does. The scripts themselves run on a real Redis, in test/redis.
 */
function serverAt(startMs: number) {
  const redis = new Redis({ lazyConnect: true });
  const state = { nowMs: startMs };
  const outcomes: string[] = [];
  const time = vi.spyOn(redis, 'time').mockImplementation(async () => [state.nowMs / 1000, 0]);
  vi.spyOn(redis, 'evalsha').mockImplementation(async (_sha1, _keyCount, ...args) => {
    const outcome = state.nowMs > Number(args[1]) ? 'command_expired' : 'done';
    outcomes.push(outcome);
    return [state.nowMs, 1, outcome];
  });
  return { redis, state, outcomes, time };
}

const START_MS = 5_000_000;
const CLOCK_JUMP_MS = 3_600_000;

const dataLossDetector = { check: async () => {}, checkOccasionally: () => {} };
const newDeadline = () => new CallDeadline('Redis', 60_000);
const options = { newDeadline, dataLossDetector, onFirstReply: () => {} };

describe('a script caller', () => {
  it('reads the time of the server once, before the first command', async () => {
    const { redis, outcomes, time } = serverAt(START_MS);
    const onFirstReply = vi.fn();
    const call = createScriptCaller(redis, { ...options, onFirstReply });
    await call(script, {}, {});
    await call(script, {}, {});
    expect(outcomes).toEqual(['done', 'done']);
    expect(time).toHaveBeenCalledTimes(1);
    expect(onFirstReply).toHaveBeenCalledTimes(1);
  });

  it('sends each call of a script that is not batched immediately, in a separate command', async () => {
    const { redis, outcomes } = serverAt(START_MS);
    const call = createScriptCaller(redis, options);
    await call(script, {}, {});
    const calls = [call(script, {}, {}), call(script, {}, {})];
    expect(outcomes).toEqual(['done', 'done', 'done']);
    await Promise.all(calls);
  });

  it('repeats a call once if the clock of the server has jumped ahead', async () => {
    const { redis, state, outcomes } = serverAt(START_MS);
    const call = createScriptCaller(redis, options);
    await call(script, {}, {});
    state.nowMs += CLOCK_JUMP_MS;
    const reply = await call(script, {}, {});
    expect(reply.outcome(['done'])).toBe('done');
    await call(script, {}, {});
    expect(outcomes).toEqual(['done', 'command_expired', 'done', 'done']);
  });

  it('rejects a call with StorageUnavailableError if its repetition has also expired', async () => {
    const { redis, state } = serverAt(START_MS);
    const call = createScriptCaller(redis, options);
    await call(script, {}, {});
    vi.spyOn(redis, 'evalsha').mockImplementation(async () => [state.nowMs, 1, 'command_expired']);
    await expect(call(script, {}, {})).rejects.toThrow(StorageUnavailableError);
  });
});
