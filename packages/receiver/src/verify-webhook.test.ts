import { describe, expect, it } from 'vitest';
import { type SignRequest, signWebhook } from './sign-webhook.ts';
import { verifySignature } from './verify-signature.ts';
import { verifyWebhook } from './verify-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NOW = 1_700_000_000_000;
const WEBHOOK = {
  id: 'msg_1',
  type: 'Contact.Added',
  timestamp: '2026-11-20T10:00:00.000Z',
  account_id: 1,
  data: { name: 'Zoë' },
};

function verify(body: string | Uint8Array) {
  const headers = signWebhook({ secret: SECRET, id: 'msg_1', body, timestampMs: NOW });
  return verifyWebhook({ secret: SECRET, headers: { ...headers }, body, atMs: NOW });
}

describe('signWebhook', () => {
  it('throws for an unknown option', () => {
    const request = { secret: SECRET, id: 'msg_1', body: '{}', timestamp: NOW };
    expect(() => signWebhook(request)).toThrow(/no option "timestamp"; there are: secret, id, /);
  });

  it.each([
    ['an object', WEBHOOK],
    ['absent', undefined],
  ])('throws an error that asks for bytes if the body is %s', (_, body) => {
    const request = { secret: SECRET, id: 'msg_1', body } as unknown as SignRequest;
    expect(() => signWebhook(request)).toThrow(/^body must be what is sent and received/);
  });
});

describe('verifyWebhook', () => {
  it('returns the webhook from a body of text or bytes', () => {
    const body = JSON.stringify(WEBHOOK);
    for (const variant of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      expect(verify(variant)).toEqual({ outcome: 'verified', webhook: WEBHOOK, sentAtMs: NOW });
    }
  });

  it('accepts an unknown event type', () => {
    expect(verify(JSON.stringify({ ...WEBHOOK, type: 'Contact.Merged' })).outcome).toBe('verified');
  });

  it.each([
    ['is not JSON', '{'],
    ['is not UTF-8', Buffer.from(JSON.stringify(WEBHOOK), 'latin1')],
    ['is null', 'null'],
    ['is a list', '[]'],
    ['has no data', JSON.stringify({ ...WEBHOOK, data: undefined })],
    ['has a list as its data', JSON.stringify({ ...WEBHOOK, data: [] })],
    ['has an empty text as its account_id', JSON.stringify({ ...WEBHOOK, account_id: '' })],
    ['has a fraction as its account_id', JSON.stringify({ ...WEBHOOK, account_id: 1.5 })],
    ['has a number as its type', JSON.stringify({ ...WEBHOOK, type: 1 })],
    ['has a number as its timestamp', JSON.stringify({ ...WEBHOOK, timestamp: 1 })],
    ['has another id than the header webhook-id', JSON.stringify({ ...WEBHOOK, id: 'msg_2' })],
  ])('rejects a signed body that %s', (_, body) => {
    expect(verify(body)).toEqual({ outcome: 'rejected', reason: 'body_malformed' });
  });

  it.each([7, 'acme/eu'])('accepts a body with the account id %j', (account_id) => {
    const body = JSON.stringify({ ...WEBHOOK, account_id });
    expect(verify(body)).toMatchObject({ outcome: 'verified', webhook: { account_id } });
  });

  it.each([
    [
      'a misspelt tolerance',
      { toleranceSecond: 60 },
      /no option "toleranceSecond"; there are: secret, /,
    ],
    ['nowMs, an option of receiveWebhook', { nowMs: () => NOW }, /no option "nowMs"/],
    [
      'isDuplicate, an option of receiveWebhook',
      { isDuplicate: () => true },
      /no option "isDuplicate"/,
    ],
  ])('throws for an unknown option: %s', (_, extra, message) => {
    const body = JSON.stringify(WEBHOOK);
    const headers = signWebhook({ secret: SECRET, id: 'msg_1', body, timestampMs: NOW });
    const request = { secret: SECRET, headers, body, atMs: NOW, ...extra };
    expect(() => verifyWebhook(request)).toThrow(message);
    expect(() => verifySignature(request)).toThrow(TypeError);
  });

  it('throws an error that names the required options if called without an argument', () => {
    const verifyNothing = verifyWebhook as (request?: unknown) => unknown;
    expect(() => verifyNothing()).toThrow(/give options: \{ secret, headers, body \}/);
  });

  it('returns no_match, not body_malformed, if a body is not JSON and its signature is wrong', () => {
    const headers = signWebhook({ secret: SECRET, id: 'msg_1', body: '{', timestampMs: NOW });
    expect(
      verifyWebhook({ secret: SECRET, headers: { ...headers }, body: '{{', atMs: NOW }),
    ).toEqual({ outcome: 'rejected', reason: 'no_match' });
  });
});
