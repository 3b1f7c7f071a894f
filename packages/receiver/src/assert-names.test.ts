import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { expressWebhook } from './express-webhook.ts';
import { koaWebhook } from './koa-webhook.ts';
import { receiveWebhook } from './receive-webhook.ts';
import { signWebhook } from './sign-webhook.ts';
import { verifySignature } from './verify-signature.ts';
import { verifyWebhook } from './verify-webhook.ts';

it.each([
  ['expressWebhook', expressWebhook, 'give options: { secret }'],
  ['koaWebhook', koaWebhook, 'give options: { secret }'],
  ['signWebhook', signWebhook, 'give options: { secret, id, body }'],
  ['verifySignature', verifySignature, 'give options: { secret, headers, body }'],
  ['verifyWebhook', verifyWebhook, 'give options: { secret, headers, body }'],
])(
  '%s without an object as its argument throws an error that names the required options',
  (_, call, message) => {
    for (const args of [[], [null], ['x']]) {
      expect(() => Reflect.apply(call, undefined, args)).toThrow(new TypeError(message));
    }
  },
);

it('receiveWebhook without options rejects with an error that names the required options', async () => {
  const outcome = Reflect.apply(receiveWebhook, undefined, [Readable.from([])]);
  await expect(outcome).rejects.toThrow(new TypeError('give options: { secret }'));
});
