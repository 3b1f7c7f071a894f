import { describe, expect, it } from 'vitest';
import type { SendRequest } from '../send/sender.ts';
import { lazySender } from './lazy-sender.ts';

const request: SendRequest = {
  accountId: 1,
  url: 'https://example.com',
  deliveryId: 'msg_1',
  body: '{}',
  secrets: [],
  timestampMs: 0,
  mayBegin: () => true,
};

const ANSWERED = { status: 200, durationMs: 1, error: null, retryAfterMs: null };

function counted() {
  const calls: string[] = [];
  const sender = lazySender(async () => {
    calls.push('open');
    return {
      send: async () => ANSWERED,
      close: async () => void calls.push('close'),
    };
  });
  return { calls, sender };
}

describe('a lazy sender', () => {
  it('is created at its first use, once', async () => {
    const { calls, sender } = counted();
    expect(calls).toEqual([]);
    await Promise.all([sender.ready(), sender.ready(), sender.send(request)]);
    expect(calls).toEqual(['open']);
    expect(sender.ready()).toBeNull();
    await sender.close();
    expect(calls).toEqual(['open', 'close']);
  });

  it('is not created by close()', async () => {
    const { calls, sender } = counted();
    await sender.close();
    expect(calls).toEqual([]);
  });

  it('is closed even if it is still being created', async () => {
    const { calls, sender } = counted();
    const ready = sender.ready();
    await sender.close();
    expect(calls).toEqual(['open', 'close']);
    await ready;
  });

  it('is created by the next attempt after its creation failed', async () => {
    let isThere = false;
    const sender = lazySender(async () => {
      if (!isThere) throw new Error('too many open files');
      return { send: async () => ANSWERED, close: async () => {} };
    });
    await expect(sender.send(request)).rejects.toThrow('too many open files');
    isThere = true;
    expect(await sender.send(request)).toEqual(ANSWERED);
  });

  it('can be closed after its creation failed', async () => {
    const sender = lazySender(() => Promise.reject(new Error('undici is not installed')));
    await expect(sender.ready()).rejects.toThrow('undici');
    await sender.close();
  });
});
