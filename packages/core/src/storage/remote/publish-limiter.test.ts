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

/** A limiter whose calls are pending until the test ends them. */
function openLimiter(options: Partial<PublishLimiterOptions> = {}) {
  const limiter = new PublishLimiter({ server: 'MariaDB', calls: 4, ...options });
  const started: string[] = [];
  const endsByName = new Map<string, (outcome: PublishedMessage) => void>();
  const take = (name: string, accountId = 1): Promise<PublishedMessage> =>
    limiter.take(accountId, new CallDeadline('MariaDB', DEADLINE_MS), () => {
      started.push(name);
      return new Promise((end) => endsByName.set(name, end));
    });
  const end = async (name: string, outcome = UNKNOWN): Promise<void> => {
    endsByName.get(name)?.(outcome);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { limiter, started, take, end };
}

/** As many calls as may be pending. */
const FOUR = ['a', 'b', 'c', 'd'];

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('PublishLimiter', () => {
  it('runs four calls of an account in parallel, and starts the others in order of arrival', async () => {
    const { started, take, end } = openLimiter();
    const calls = [...FOUR, 'e', 'f'].map((name) => take(name));
    expect(started).toEqual(FOUR);
    await end('c');
    expect(started).toEqual([...FOUR, 'e']);
    await end('e', published(0));
    expect(started).toEqual([...FOUR, 'e', 'f']);
    for (const name of started) await end(name);
    expect(await Promise.all(calls)).toEqual([...Array(4).fill(UNKNOWN), published(0), UNKNOWN]);
  });

  it('starts a call of one account while another account is at its limit', () => {
    const { started, take } = openLimiter();
    for (const name of FOUR) void take(name);
    void take('other account', 2);
    expect(started).toContain('other account');
  });

  it('starts more calls in parallel if they make few deliveries', async () => {
    const { started, take, end } = openLimiter({ deliveries: 16 });
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (const name of names) void take(name);
    await end('0', published(2));
    // Each call is assumed to make 2 deliveries: 8 calls make 16.
    expect(started).toEqual(names.slice(0, 1 + 8));
    await end('1', published(100));
    await end('2', published(3));
    // Six are pending, and a seventh would make it 7 * 3 deliveries.
    expect(started).toEqual(names.slice(0, 9));
    for (const name of ['3', '4', '5', '6']) await end(name, published(100));
    // Seven calls have ended. At 100 deliveries each, only four may be pending.
    expect(started).toEqual(names.slice(0, 7 + 4));
  });

  it('starts the next call after a call that failed', async () => {
    const { limiter, started, take, end } = openLimiter();
    const fault = new Error('rejected');
    const failingCall = limiter.take(1, new CallDeadline('MariaDB', DEADLINE_MS), async () => {
      await end('nothing');
      throw fault;
    });
    const rejection = expect(failingCall).rejects.toBe(fault);
    for (const name of FOUR) void take(name);
    expect(started).toEqual(FOUR.slice(0, 3));
    await rejection;
    expect(started).toEqual(FOUR);
  });

  it('rejects a call that has waited for half of its deadline, without starting it', async () => {
    const { started, take, end } = openLimiter();
    for (const name of FOUR) void take(name);
    const message = 'MariaDB was still busy with what the account had published before.';
    const rejection = expect(take('given up')).rejects.toThrow(
      new StorageUnavailableError(message),
    );
    await vi.advanceTimersByTimeAsync(DEADLINE_MS / 2 - 1);
    void take('next');
    await vi.advanceTimersByTimeAsync(1);
    await rejection;
    await end('a');
    expect(started).toEqual([...FOUR, 'next']);
  });

  it('starts four calls again after a waiting call was rejected and the others have ended', async () => {
    const { started, take, end } = openLimiter();
    for (const name of FOUR) void take(name);
    const rejection = expect(take('given up')).rejects.toThrow(StorageUnavailableError);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS / 2);
    await rejection;
    for (const name of FOUR) await end(name);
    const nextFour = FOUR.map((name) => `next ${name}`);
    for (const name of [...nextFour, 'one more']) void take(name);
    expect(started).toEqual([...FOUR, ...nextFour]);
  });
});
