import { readFileSync } from 'node:fs';
import { verifyWebhook } from '@latchhook/receiver';
import type { ReceivedRequest } from '@latchhook/testkit';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it, vi } from 'vitest';
import { startSendingApp } from '../support/apps/sending-app.ts';
import {
  bodyOf,
  callsOf,
  deliveriesOf,
  type OneBody,
  register,
} from '../support/clients/webhook-calls.ts';

type Verify = (secret: string, body: string, headers: Record<string, string>) => unknown;

const receivers: readonly (readonly [name: string, verify: Verify])[] = [
  ['standardwebhooks', (...[secret, ...request]) => new StandardWebhook(secret).verify(...request)],
  ['svix', (...[secret, ...request]) => new SvixWebhook(secret).verify(...request)],
  [
    '@latchhook/receiver',
    (secret, body, headers) => {
      const result = verifyWebhook({ secret, body, headers, atMs: Date.now() });
      if (result.outcome === 'rejected') throw new Error(result.reason);
      return result.webhook;
    },
  ],
];

/** Sends a delivery three times: twice under one secret, and once after the rotation of the secret. */
async function sendThreeRequests() {
  const { app, receiver } = await startSendingApp();
  const calls = await callsOf(app);
  const { id, secret } = await register(calls, { url: receiver.url });
  const data = { name: 'Zoë 🦊', at: new Date(0), none: null, text: 'a"b\\c\u2028' };
  const published = await app.auth.events.publish('Contact.Added', { accountId: 1, data });
  // A delivery in flight is not sent again, so wait for its end first.
  const resend = async () => {
    await expect
      .poll(async () => (await deliveriesOf(calls, id)).map(({ state }) => state))
      .toEqual(['delivered']);
    app.clock.advance(60_000);
    const path = `/webhooks/${id}/deliveries/${published.id}/resend`;
    bodyOf(await calls.send('POST', path), 202);
  };
  await resend();
  await receiver.waitFor(2);
  const rotated = await calls.send('POST', `/webhooks/${id}/secret`);
  const newSecret = bodyOf<OneBody<{ secret: string }>>(rotated, 200).data.secret;
  await resend();
  return { published, secret, newSecret, requests: await receiver.waitFor(3) };
}

/** Verifies a body with its three headers, at the time at which it was sent. */
function verifyAtSendTime(
  verify: Verify,
  secret: string,
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
): unknown {
  const signed = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(headers[name]),
    ]),
  );
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1000 });
  try {
    return verify(secret, body.toString('utf8'), signed);
  } finally {
    vi.useRealTimers();
  }
}

describe('a delivery', () => {
  it('has the same body and webhook-id each time it is sent', async () => {
    const { published, requests } = await sendThreeRequests();
    expect(new Set(requests.map(({ body }) => body.toString('hex'))).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
    for (const { headers } of requests) expect(headers['webhook-id']).toBe(published.id);
  });

  it.each(receivers)('is accepted by %s with the old or the new secret', async (_name, verify) => {
    const { published, secret, newSecret, requests } = await sendThreeRequests();
    const [first, second, third] = requests;
    if (!first || !second || !third) throw new Error('fewer than three requests');
    const event = {
      id: published.id,
      type: 'Contact.Added',
      timestamp: expect.stringMatching(/Z$/),
      account_id: 1,
      data: { name: 'Zoë 🦊', at: '1970-01-01T00:00:00.000Z', none: null, text: 'a"b\\c\u2028' },
    };
    expect(verifyAtSendTime(verify, secret, first)).toEqual(event);
    expect(verifyAtSendTime(verify, secret, second)).toEqual(event);
    expect(verifyAtSendTime(verify, secret, third)).toEqual(event);
    expect(verifyAtSendTime(verify, newSecret, third)).toEqual(event);
    expect(() => verifyAtSendTime(verify, newSecret, first)).toThrow();
    expect(() => verifyAtSendTime(verify, secret, { ...first, body: Buffer.from('{}') })).toThrow();
  });
});

describe('the delivery in docs/guides/webhooks.md', () => {
  const guide = readFileSync(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8');
  const [, head = '', body = ''] = /```http\nPOST .*\n([\s\S]*?)\n\n(.*)\n```/.exec(guide) ?? [];
  const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
  const [secret = ''] = /whsec_[\w+/]+=*/.exec(guide) ?? [];
  const documentedDelivery = { headers, body: Buffer.from(body) };

  it.each(receivers)('is accepted by %s', (_name, verify) => {
    expect(verifyAtSendTime(verify, secret, documentedDelivery)).toMatchObject({
      id: headers['webhook-id'],
    });
  });

  it('has the headers and the fields of a real delivery, in that order', async () => {
    const { requests } = await sendThreeRequests();
    const [sent] = requests;
    const own = Object.keys(sent?.headers ?? {}).filter((name) => name in headers);
    expect(own).toEqual(Object.keys(headers));
    expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(JSON.parse(String(sent?.body))));
  });
});
