import type { ScheduledDelivery } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { answered, hangs, heldReceiver, scheduled } from '../runs/scripted-deps.test.support.ts';
import { queueOf } from './in-process-queue.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the end of the queue in the process', () => {
  it('closes when all that runs has ended, and begins nothing more', async () => {
    const { deps, queue } = queueOf(
      {
        send: async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          return answered(200);
        },
      },
      1,
    );
    void queue.enqueue([scheduled('a'), scheduled('b'), scheduled('c', 10)]);
    await vi.advanceTimersByTimeAsync(50);
    const closed = queue.close();
    void queue.enqueue([scheduled('d')]);
    await vi.advanceTimersByTimeAsync(60_000);
    await closed;
    await queue.close();
    expect(deps.calls).toEqual(['start a', 'send a', 'finish a', 'close sender']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins what it was about to find, since nobody else finds that for a while', async () => {
    let find = (_found: ScheduledDelivery[]): void => {};
    const overdue = vi.fn(() => new Promise<ScheduledDelivery[]>((resolve) => (find = resolve)));
    const { deps, queue } = queueOf({ overdue });
    await vi.waitUntil(() => overdue.mock.calls.length > 0);
    const closed = queue.close();
    find([scheduled('found')]);
    await closed;
    await queue.enqueue([scheduled('late')]);
    expect(deps.calls.slice(1)).toEqual([
      'start found',
      'send found',
      'finish found',
      'close sender',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not closed before the last run has ended', async () => {
    const { send, ends } = heldReceiver();
    const { deps, queue } = queueOf({ send });
    void queue.enqueue([scheduled('a'), scheduled('b')]);
    await vi.advanceTimersByTimeAsync(0);
    const closed = queue.close();
    for (const [nth, end] of ends.entries()) {
      // By now it waits for what runs.
      await vi.advanceTimersByTimeAsync(0);
      expect(deps.calls).not.toContain('close sender');
      end();
      await vi.advanceTimersByTimeAsync(0);
      expect(deps.calls.filter((call) => call.startsWith('finish'))).toHaveLength(nth + 1);
    }
    await closed;
    expect(deps.calls.at(-1)).toBe('close sender');
  });

  it('does not wait longer than a lease for what hangs', async () => {
    const { queue } = queueOf({ send: hangs });
    void queue.enqueue([scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(1);
    const closed = queue.close();
    await vi.advanceTimersByTimeAsync(20_000);
    await closed;
  });
});
