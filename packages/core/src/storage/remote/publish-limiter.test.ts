import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import type { PublishedMessage } from '../delivery-store.ts';
import { CallDeadline } from './call-deadline.ts';
import { PublishLimiter, type PublishLimiterOptions } from './publish-limiter.ts';

const DEADLINE_MS = 1_000;
const UNKNOWN: PublishedMessage = { outcome: 'unknown' };

function published(deliveries: number): PublishedMessage {
  return { outcome: 'published', messageId: 'm1', deliveries, expired: [] };
}

/** Calls that are pending for as long as they are let. */
function openLimiter(options: Partial<PublishLimiterOptions> = {}) {
  const turns = new PublishLimiter({ server: 'MariaDB', calls: 4, ...options });
  const begun: string[] = [];
  const ends = new Map<string, (answer: PublishedMessage) => void>();
  const take = (name: string, accountId = 1): Promise<PublishedMessage> =>
    turns.take(accountId, new CallDeadline('MariaDB', DEADLINE_MS), () => {
      begun.push(name);
      return new Promise((end) => ends.set(name, end));
    });
  const end = async (name: string, answer = UNKNOWN): Promise<void> => {
    ends.get(name)?.(answer);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { turns, begun, take, end };
}

const FOUR = ['a', 'b', 'c', 'd'];

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('PublishLimiter', () => {
  it('starts four calls of an account, and the next in order of arrival as each ends', async () => {
    const { begun, take, end } = openLimiter();
    const calls = [...FOUR, 'e', 'f'].map((name) => take(name));
    expect(begun).toEqual(FOUR);
    await end('c');
    expect(begun).toEqual([...FOUR, 'e']);
    await end('e', published(0));
    expect(begun).toEqual([...FOUR, 'e', 'f']);
    for (const name of begun) await end(name);
    expect(await Promise.all(calls)).toEqual([...Array(4).fill(UNKNOWN), published(0), UNKNOWN]);
  });

  it('starts a call of one account while another account is at its limit', () => {
    const { begun, take } = openLimiter();
    for (const name of FOUR) void take(name);
    void take('of another', 2);
    expect(begun).toContain('of another');
  });

  it('starts more calls at once if they make few deliveries', async () => {
    const { begun, take, end } = openLimiter({ deliveries: 16 });
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (const name of names) void take(name);
    await end('0', published(2));
    expect(begun).toEqual(names.slice(0, 1 + 8));
    await end('1', published(100));
    await end('2', published(3));
    expect(begun).toEqual(names.slice(0, 9));
    for (const name of ['3', '4', '5', '6']) await end(name, published(100));
    expect(begun).toEqual(names.slice(0, 7 + 4));
  });

  it('starts the next call after a call that failed', async () => {
    const { turns, begun, take, end } = openLimiter();
    const fault = new Error('rejected');
    const failed = turns.take(1, new CallDeadline('MariaDB', DEADLINE_MS), async () => {
      await end('nothing');
      throw fault;
    });
    const rejected = expect(failed).rejects.toBe(fault);
    for (const name of FOUR) void take(name);
    expect(begun).toEqual(FOUR.slice(0, 3));
    await rejected;
    expect(begun).toEqual(FOUR);
  });

  it('rejects a call that has waited for half of its deadline, and never starts it', async () => {
    const { begun, take, end } = openLimiter();
    for (const name of FOUR) void take(name);
    const why = 'MariaDB was still busy with what the account had published before.';
    const rejected = expect(take('given up')).rejects.toThrow(new StorageUnavailableError(why));
    await vi.advanceTimersByTimeAsync(DEADLINE_MS / 2 - 1);
    void take('next');
    await vi.advanceTimersByTimeAsync(1);
    await rejected;
    await end('a');
    expect(begun).toEqual([...FOUR, 'next']);
  });

  it('has its full capacity again once the waiting calls are gone', async () => {
    const { begun, take, end } = openLimiter();
    for (const name of FOUR) void take(name);
    const rejected = expect(take('given up')).rejects.toThrow(StorageUnavailableError);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS / 2);
    await rejected;
    for (const name of FOUR) await end(name);
    const again = FOUR.map((name) => `${name} again`);
    for (const name of [...again, 'one more']) void take(name);
    expect(begun).toEqual([...FOUR, ...again]);
  });
});
