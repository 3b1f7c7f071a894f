import { Cluster, Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BullmqConnection, openConnection } from './bullmq-connections.ts';

const RULES = { maxRetriesPerRequest: null, silenceMs: 1_000, mayReconnect: () => false };
const READ_ONLY = new Error("READONLY You can't write against a read only replica.");

/** A rule by which ioredis would send refused commands again without end. */
const options = {
  lazyConnect: true,
  reconnectOnError: (error: Error) => (error.message.includes('READONLY') ? (2 as const) : false),
};

const connections: [what: string, make: () => BullmqConnection][] = [
  ['options', () => options],
  ['a client', () => new Redis(options)],
  ['a Cluster', () => new Cluster([], { lazyConnect: true, redisOptions: options })],
];

describe('a connection of ours that meets a replica', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each(connections)(
    'of %s, is given up for another now and then, which sends nothing again',
    async (_, make) => {
      const opened = await openConnection(make(), RULES);
      const { reconnectOnError } =
        opened instanceof Cluster ? (opened.options.redisOptions ?? {}) : opened.options;
      const mayReconnect = (error: Error) => reconnectOnError?.(error);
      expect(mayReconnect(new Error('OOM'))).toBe(false);
      expect([mayReconnect(READ_ONLY), mayReconnect(READ_ONLY)]).toEqual([1, false]);
      vi.advanceTimersByTime(499);
      expect(mayReconnect(READ_ONLY)).toBe(false);
      vi.advanceTimersByTime(1);
      expect(mayReconnect(READ_ONLY)).toBe(1);
      opened.disconnect();
    },
  );

  it('is kept where the host has no rule', async () => {
    const opened = await openConnection({ lazyConnect: true }, RULES);
    expect(opened.options).not.toHaveProperty('reconnectOnError', expect.any(Function));
    opened.disconnect();
  });
});
