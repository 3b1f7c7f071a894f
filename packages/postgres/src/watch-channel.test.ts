import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Listener } from './database/database.ts';
import { watchChannel } from './watch-channel.ts';

/** Watches a channel of a database that can become unreachable. */
function fixture() {
  const state = { attempts: 0, calls: 0, isUnreachable: false, isEnded: false };
  let current: Listener | undefined;
  const stop = watchChannel(
    async (listener) => {
      state.attempts += 1;
      if (state.isUnreachable) throw new Error('unavailable');
      current = listener;
      return async () => {
        state.isEnded = true;
      };
    },
    () => {
      state.calls += 1;
    },
  );
  return {
    stop,
    state,
    notify: () => current?.onNotified(),
    loseConnection: () => current?.onLost(),
  };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

describe('watching a channel', () => {
  it('calls back when it begins and at every notification', async () => {
    const { state, notify } = fixture();
    await settled();
    notify();
    notify();
    expect(state.calls).toBe(3);
  });

  it('calls back when it listens again after the connection was lost', async () => {
    const { state, loseConnection } = fixture();
    await settled();
    loseConnection();
    await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS);
    expect(state).toMatchObject({ attempts: 2, calls: 2 });
  });

  it('reconnects at intervals that double up to half a minute', async () => {
    const { state, loseConnection } = fixture();
    await settled();
    state.isUnreachable = true;
    loseConnection();
    const doublingMs = (1 + 2 + 4 + 8 + 16) * FIRST_RETRY_MS;
    await vi.advanceTimersByTimeAsync(doublingMs + LONGEST_RETRY_MS);
    // The first attempt, five after doubling intervals, and one after the longest interval.
    expect(state.attempts).toBe(1 + 5 + 1);
    await vi.advanceTimersByTimeAsync(10 * LONGEST_RETRY_MS);
    expect(state.attempts).toBe(1 + 5 + 1 + 10);
    state.isUnreachable = false;
    await vi.advanceTimersByTimeAsync(LONGEST_RETRY_MS);
    expect(state.calls).toBe(2);
  });

  it('calls back and sets its timers in the async context in which it began', async () => {
    const context = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const recordContext = (): void => void contexts.push(context.getStore());
    let current: Listener | undefined;
    context.run('the watch', () =>
      watchChannel(async (listener) => {
        current = listener;
        return async () => {};
      }, recordContext),
    );
    await settled();
    // Records the context in which the timer for the next connection is set. No timer is needed, so it throws.
    vi.stubGlobal('setTimeout', () => {
      recordContext();
      throw new Error('enough');
    });
    context.run('a login', () => {
      current?.onNotified();
      expect(() => current?.onLost()).toThrow('enough');
    });
    // Must run before `useRealTimers` because it restores the fake `setTimeout`.
    vi.unstubAllGlobals();
    expect(contexts).toEqual(['the watch', 'the watch', 'the watch']);
  });

  it('leaves neither a connection nor a timer when it is stopped', async () => {
    const { stop, state } = fixture();
    await settled();
    await stop();
    expect(state.isEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer when it is stopped while the database is unreachable', async () => {
    const { stop, state, loseConnection } = fixture();
    state.isUnreachable = true;
    await settled();
    loseConnection();
    await stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
