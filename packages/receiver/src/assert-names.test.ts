import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { expressWebhook } from './express-webhook.ts';
import { koaWebhook } from './koa-webhook.ts';
import { receiveWebhook } from './receive-webhook.ts';
import { signWebhook } from './sign-webhook.ts';
import { verifySignature } from './verify-signature.ts';
import { verifyWebhook } from './verify-webhook.ts';

it.each([
  [expressWebhook, 'give options: { secret }'],
  [koaWebhook, 'give options: { secret }'],
  [signWebhook, 'give options: { secret, id, body }'],
  [verifySignature, 'give options: { secret, headers, body }'],
  [verifyWebhook, 'give options: { secret, headers, body }'],
])('%o called without its argument names what is missing', (call, message) => {
  for (const given of [[], [null], ['x']]) {
    expect(() => Reflect.apply(call, undefined, given)).toThrow(new TypeError(message));
  }
});

it('receiveWebhook called without options names what is missing', async () => {
  const received = Reflect.apply(receiveWebhook, undefined, [Readable.from([])]);
  await expect(received).rejects.toThrow(new TypeError('give options: { secret }'));
});
