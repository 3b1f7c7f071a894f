import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign } from './sign.ts';

// The example of the libraries of Standard Webhooks.
const SECRET = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const TIMESTAMP_SECONDS = 1_614_265_330;
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

/** Signs with only the secret of the example. */
function signaturesOf(id: string, timestampSeconds: number, body: string): string {
  return sign([SECRET], id, timestampSeconds, body);
}

describe('sign', () => {
  it('computes the example signature of Standard Webhooks', () => {
    expect(signaturesOf(ID, TIMESTAMP_SECONDS, BODY)).toBe(SIGNATURE);
  });

  it('signs with every secret, in the given order', () => {
    const otherSecret = Buffer.alloc(32, 7);
    const signatures = sign([otherSecret, SECRET], ID, TIMESTAMP_SECONDS, BODY).split(' ');
    expect(signatures).toEqual([sign([otherSecret], ID, TIMESTAMP_SECONDS, BODY), SIGNATURE]);
    expect(signatures[0]).not.toBe(SIGNATURE);
  });

  it.each([
    ['id', signaturesOf(`${ID}x`, TIMESTAMP_SECONDS, BODY)],
    ['time', signaturesOf(ID, TIMESTAMP_SECONDS + 1, BODY)],
    ['body', signaturesOf(ID, TIMESTAMP_SECONDS, '{"test": 2432232315}')],
  ])('computes a different signature for a different %s', (_, signatures) => {
    expect(signatures).not.toBe(SIGNATURE);
  });

  it.each([
    '',
    BODY,
    '{"name":"Zoë 🦊"}',
    // A lone surrogate, which UTF-8 cannot encode.
    '{"name":"\ud83e"}',
  ])('signs the bytes that are sent: %j', (body) => {
    const content = Buffer.concat([Buffer.from(`${ID}.${TIMESTAMP_SECONDS}.`), Buffer.from(body)]);
    const expected = createHmac('sha256', SECRET).update(content).digest('base64');
    expect(signaturesOf(ID, TIMESTAMP_SECONDS, body)).toBe(`v1,${expected}`);
  });
});
