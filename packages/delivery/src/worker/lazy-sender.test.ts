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

const RESULT = { status: 200, durationMs: 1, error: null, retryAfterMs: null };

function recordedSender() {
  const calls: string[] = [];
  const sender = lazySender(async () => {
    calls.push('open');
    return {
      send: async () => RESULT,
      close: async () => void calls.push('close'),
    };
  });
  return { calls, sender };
}

describe('a lazy sender', () => {
  it('is opened once for several uses', async () => {
    const { calls, sender } = recordedSender();
    expect(calls).toEqual([]);
    await Promise.all([sender.open(), sender.open(), sender.send(request)]);
    expect(calls).toEqual(['open']);
    await sender.open();
    expect(calls).toEqual(['open']);
    await sender.close();
    expect(calls).toEqual(['open', 'close']);
  });

  it('is not opened by close()', async () => {
    const { calls, sender } = recordedSender();
    await sender.close();
    expect(calls).toEqual([]);
  });

  it('is closed even if it is still being opened', async () => {
    const { calls, sender } = recordedSender();
    const opening = sender.open();
    await sender.close();
    expect(calls).toEqual(['open', 'close']);
    await opening;
  });

  it('is opened by the next attempt if opening it failed', async () => {
    let canOpen = false;
    const sender = lazySender(async () => {
      if (!canOpen) throw new Error('too many open files');
      return { send: async () => RESULT, close: async () => {} };
    });
    await expect(sender.send(request)).rejects.toThrow('too many open files');
    canOpen = true;
    expect(await sender.send(request)).toEqual(RESULT);
  });

  it('can be closed after opening it failed', async () => {
    const sender = lazySender(() => Promise.reject(new Error('undici is not installed')));
    await expect(sender.open()).rejects.toThrow('undici');
    await sender.close();
  });
});
