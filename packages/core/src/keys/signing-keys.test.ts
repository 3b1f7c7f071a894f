import { describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import { generateSigningKey, readSigningKey } from './signing-key.ts';
import { createSigningKeys, type SigningKeyInput } from './signing-keys.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2027, 0, 1);

function adjustableClock() {
  let nowMs = START_MS;
  return {
    nowMs: () => nowMs,
    setHoursAfterStart: (hours: number) => {
      nowMs = START_MS + hours * HOUR_MS;
    },
  };
}

function hoursAfterStart(hours: number): Date {
  return new Date(START_MS + hours * HOUR_MS);
}

const [first, second, third] = [generateSigningKey(), generateSigningKey(), generateSigningKey()];
const [firstKid, secondKid, thirdKid] = [first, second, third].map(
  (key) => readSigningKey(key).kid,
);

describe('createSigningKeys', () => {
  it('publishes and trusts each key until it retires, and signs with the latest signsFrom', () => {
    const clock = adjustableClock();
    const keys = createSigningKeys(
      [
        { key: first, retiresAt: hoursAfterStart(3) },
        { key: second, signsFrom: hoursAfterStart(1) },
      ],
      clock,
    );
    const states = [0, 1, 2, 3].map((hours) => {
      clock.setHoursAfterStart(hours);
      return {
        signer: keys.signingKey().kid,
        published: keys.publicJwks().keys.map((key) => key.kid),
        trustsFirst: keys.verificationKey(firstKid ?? '') !== undefined,
      };
    });
    const bothKids = [firstKid, secondKid];
    expect(states).toEqual([
      { signer: firstKid, published: bothKids, trustsFirst: true },
      { signer: secondKid, published: bothKids, trustsFirst: true },
      { signer: secondKid, published: bothKids, trustsFirst: true },
      { signer: secondKid, published: [secondKid], trustsFirst: false },
    ]);
  });

  it('signs with the first of several keys without dates', () => {
    const keys = createSigningKeys([second, first, third], adjustableClock());
    expect(keys.signingKey().kid).toBe(secondKid);
  });

  it('falls back to an older key if a newer one retires first', () => {
    const clock = adjustableClock();
    const keys = createSigningKeys(
      [third, { key: first, signsFrom: hoursAfterStart(1), retiresAt: hoursAfterStart(2) }],
      clock,
    );
    clock.setHoursAfterStart(1);
    expect(keys.signingKey().kid).toBe(firstKid);
    clock.setHoursAfterStart(2);
    expect(keys.signingKey().kid).toBe(thirdKid);
  });

  it('does not sign with a retired key, even if it is the only one', () => {
    const clock = adjustableClock();
    const keys = createSigningKeys([{ key: first, retiresAt: hoursAfterStart(1) }], clock);
    clock.setHoursAfterStart(1);
    expect(() => keys.signingKey()).toThrow('all of them have retired');
  });

  it.each(['unknown', '', '../../dev/null', '__proto__', 'k'.repeat(4096)])(
    'finds no key for the kid %j',
    (kid) => {
      expect(createSigningKeys([first], adjustableClock()).verificationKey(kid)).toBeUndefined();
    },
  );

  it('reads a JWK with and without dates', () => {
    const jwk = first.export({ format: 'jwk' });
    for (const input of [jwk, { key: jwk, retiresAt: hoursAfterStart(1) }]) {
      expect(createSigningKeys([input], adjustableClock()).signingKey().kid).toBe(firstKid);
    }
  });

  it.each<[string, SigningKeyInput[], string]>([
    ['no key', [], 'signing_key_missing'],
    ['one key twice', [first, first.export({ format: 'jwk' })], 'signing_key_duplicate'],
    [
      'keys that all sign later',
      [{ key: first, signsFrom: hoursAfterStart(1) }],
      'signing_key_inactive',
    ],
    [
      'keys that have all retired',
      [{ key: first, retiresAt: hoursAfterStart(0) }],
      'signing_key_inactive',
    ],
    [
      'a key that retires before it signs',
      [{ key: first, signsFrom: hoursAfterStart(2), retiresAt: hoursAfterStart(1) }],
      'signing_key_schedule_invalid',
    ],
    [
      'a key that retires an hour before the next one signs',
      [
        { key: first, retiresAt: hoursAfterStart(1) },
        { key: second, signsFrom: hoursAfterStart(2) },
      ],
      'signing_key_schedule_invalid',
    ],
    [
      'a misspelt date',
      [{ key: first, retiredAt: hoursAfterStart(1) } as SigningKeyInput],
      'option_unknown',
    ],
    [
      'an invalid date',
      [{ key: first, signsFrom: new Date('soon') }],
      'signing_key_schedule_invalid',
    ],
  ])('throws a ConfigError for %s', (_, inputs, code) => {
    expect(() => createSigningKeys(inputs, adjustableClock())).toThrow(
      expect.objectContaining({ code, constructor: ConfigError }),
    );
  });
});
