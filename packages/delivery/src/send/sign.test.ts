import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign } from './sign.ts';

// The example of the libraries of Standard Webhooks.
const SECRET = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

/** With the secret of the example alone. */
function signaturesOf(id: string, timestampSeconds: number, body: string): string {
  return sign([SECRET], id, timestampSeconds, body);
}

describe('sign', () => {
  it('computes the example signature of Standard Webhooks', () => {
    expect(signaturesOf(ID, 1614265330, BODY)).toBe(SIGNATURE);
  });

  it('signs with every secret, in their order', () => {
    const other = Buffer.alloc(32, 7);
    const signatures = sign([other, SECRET], ID, 1614265330, BODY).split(' ');
    expect(signatures).toEqual([sign([other], ID, 1614265330, BODY), SIGNATURE]);
    expect(signatures[0]).not.toBe(SIGNATURE);
  });

  it.each([
    ['id', signaturesOf(`${ID}x`, 1614265330, BODY)],
    ['time', signaturesOf(ID, 1614265331, BODY)],
    ['body', signaturesOf(ID, 1614265330, '{"test": 2432232315}')],
  ])('computes a different signature for a different %s', (_, signatures) => {
    expect(signatures).not.toBe(SIGNATURE);
  });

  it.each([
    '',
    BODY,
    '{"name":"Zoë 🦊"}',
    // A half of a character, which UTF-8 cannot hold.
    '{"name":"\ud83e"}',
  ])('signs the bytes that are sent: %j', (body) => {
    const content = Buffer.concat([Buffer.from(`${ID}.1614265330.`), Buffer.from(body)]);
    const expected = createHmac('sha256', SECRET).update(content).digest('base64');
    expect(signaturesOf(ID, 1614265330, body)).toBe(`v1,${expected}`);
  });
});
