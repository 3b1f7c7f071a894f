import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Listener } from './database/database.ts';
import { watchChannel } from './watch-channel.ts';

/** A database that can become unreachable. */
function watched() {
  const seen = { attempts: 0, calls: 0, isAway: false, isEnded: false };
  let current: Listener | undefined;
  const stop = watchChannel(
    async (listener) => {
      seen.attempts += 1;
      if (seen.isAway) throw new Error('unavailable');
      current = listener;
      return async () => {
        seen.isEnded = true;
      };
    },
    () => {
      seen.calls += 1;
    },
  );
  return { stop, seen, notify: () => current?.onNotified(), lose: () => current?.onLost() };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('watching a channel', () => {
  it('calls back when it begins, and at every notification', async () => {
    const { seen, notify } = watched();
    await settled();
    notify();
    notify();
    expect(seen.calls).toBe(3);
  });

  it('listens again after the connection was lost, and calls back', async () => {
    const { seen, lose } = watched();
    await settled();
    lose();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toMatchObject({ attempts: 2, calls: 2 });
  });

  it('reconnects at growing intervals, up to half a minute', async () => {
    const { seen, lose } = watched();
    await settled();
    seen.isAway = true;
    lose();
    await vi.advanceTimersByTimeAsync(61_000);
    expect(seen.attempts).toBe(7);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(seen.attempts).toBe(17);
    seen.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(seen.calls).toBe(2);
  });

  it('calls back and waits in the async context in which it began', async () => {
    const context = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const note = (): void => void contexts.push(context.getStore());
    let current: Listener | undefined;
    context.run('the watch', () =>
      watchChannel(async (listener) => {
        current = listener;
        return async () => {};
      }, note),
    );
    await settled();
    vi.stubGlobal('setTimeout', () => {
      note();
      throw new Error('enough');
    });
    context.run('a login', () => {
      current?.onNotified();
      expect(() => current?.onLost()).toThrow('enough');
    });
    // Before the real timers come back: it would put the fake one in their place.
    vi.unstubAllGlobals();
    expect(contexts).toEqual(['the watch', 'the watch', 'the watch']);
  });

  it('leaves neither a connection nor a timer when it is stopped', async () => {
    const { stop, seen } = watched();
    await settled();
    await stop();
    expect(seen.isEnded).toBe(true);
    const away = watched();
    away.seen.isAway = true;
    await settled();
    away.lose();
    await away.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
