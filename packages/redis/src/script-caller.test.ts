import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { defineScript } from './define-script.ts';
import { createScriptCaller } from './script-caller.ts';

const script = defineScript({ name: 'noop', keys: [], args: {}, lua: `return answer('done')` });

/**
 * A server whose clock can be set, unlike that of a real one. It treats the guard's argument as every script
 * does. The scripts themselves run on a real Redis, in test/redis.
 */
function serverAt(startMs: number) {
  const redis = new Redis({ lazyConnect: true });
  const state = { nowMs: startMs };
  const log: string[] = [];
  const time = vi.spyOn(redis, 'time').mockImplementation(async () => [state.nowMs / 1000, 0]);
  vi.spyOn(redis, 'evalsha').mockImplementation(async (_sha1, _keyCount, ...args) => {
    const outcome = state.nowMs > Number(args[1]) ? 'command_expired' : 'done';
    log.push(outcome);
    return [state.nowMs, 1, outcome];
  });
  return { redis, state, log, time };
}

const deaf = { onFirstAnswer: () => {}, onUnknownScript: () => {} };
const newDeadline = () => new CallDeadline('Redis', 60_000);

describe('createScriptCaller', () => {
  it('reads the time of the server once, before the first command', async () => {
    const { redis, log, time } = serverAt(5_000_000);
    const onFirstAnswer = vi.fn();
    const call = createScriptCaller(redis, { newDeadline, ...deaf, onFirstAnswer });
    await call(script, {}, {});
    await call(script, {}, {});
    expect(log).toEqual(['done', 'done']);
    expect(time).toHaveBeenCalledTimes(1);
    expect(onFirstAnswer).toHaveBeenCalledTimes(1);
  });

  it('repeats a call once if the clock of the server has jumped ahead', async () => {
    const { redis, state, log } = serverAt(5_000_000);
    const call = createScriptCaller(redis, { newDeadline, ...deaf });
    await call(script, {}, {});
    state.nowMs += 3_600_000;
    const reply = await call(script, {}, {});
    expect(reply.outcome(['done'])).toBe('done');
    await call(script, {}, {});
    expect(log).toEqual(['done', 'command_expired', 'done', 'done']);
  });

  it('rejects if the repeated call has expired, too', async () => {
    const { redis, state } = serverAt(5_000_000);
    const call = createScriptCaller(redis, { newDeadline, ...deaf });
    await call(script, {}, {});
    vi.spyOn(redis, 'evalsha').mockImplementation(async () => [state.nowMs, 1, 'command_expired']);
    await expect(call(script, {}, {})).rejects.toThrow(StorageUnavailableError);
  });
});
