import { describe, expect, it } from 'vitest';
import { sign } from './sign.ts';

// The example of the libraries of Standard Webhooks.
const SECRET = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('sign', () => {
  it('signs as Standard Webhooks has it', () => {
    expect(sign([SECRET], ID, 1614265330, BODY)).toBe(SIGNATURE);
  });

  it('signs with every secret, in their order', () => {
    const other = Buffer.alloc(32, 7);
    const signatures = sign([other, SECRET], ID, 1614265330, BODY).split(' ');
    expect(signatures).toEqual([sign([other], ID, 1614265330, BODY), SIGNATURE]);
    expect(signatures[0]).not.toBe(SIGNATURE);
  });

  it.each([
    ['id', sign([SECRET], `${ID}x`, 1614265330, BODY)],
    ['time', sign([SECRET], ID, 1614265331, BODY)],
    ['body', sign([SECRET], ID, 1614265330, '{"test": 2432232315}')],
  ])('is another for another %s', (_, signature) => {
    expect(signature).not.toBe(SIGNATURE);
  });
});
