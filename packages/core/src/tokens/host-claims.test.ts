import { describe, expect, it } from 'vitest';
import { checkedHostClaims, MAX_HOST_CLAIMS_BYTES } from './host-claims.ts';

const largest = { c: 'x'.repeat(MAX_HOST_CLAIMS_BYTES - '{"c":""}'.length) };

describe('claims of the host', () => {
  it.each([
    ['there are none', {}],
    ['they are nested', { plan: 'pro', limits: { seats: 3 }, tags: ['a', null] }],
    ['they have 2048 bytes', largest],
  ])('are accepted if %s', (_, claims) => {
    expect(checkedHostClaims(claims)).toEqual(claims);
  });

  it('are converted to their JSON values', () => {
    const at = new Date(0);
    expect(checkedHostClaims({ at, gone: undefined })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  it('are the result of toJSON() if they have it, even if one of their fields is undefined', () => {
    class Plan {
      readonly internalNote = 's3cret';
      readonly region = undefined;
      toJSON() {
        return { plan: 'pro' };
      }
    }
    expect(checkedHostClaims(new Plan())).toEqual({ plan: 'pro' });
  });

  it('are rejected without the error of a toJSON, which may quote a value', () => {
    const claims = {
      toJSON() {
        throw new Error('s3cret');
      },
    };
    expect(() => checkedHostClaims(claims)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          reason: 'the claims of accessTokenClaims cannot be sent as JSON',
        }),
      }),
    );
  });

  it.each([
    ['no object', null],
    ['no object', undefined],
    ['no object', ['plan']],
    ['no object', 'pro'],
    ['a claim `sub`', { sub: 'mallory' }],
    ['a claim `scope`', { plan: 'pro', scope: 'admin' }],
    ['a claim `account_id`', { account_id: 7 }],
    ['a claim `cnf`', { cnf: {} }],
    ['cannot be sent as JSON: n is a BigInt', { n: 1n }],
    ['plan is a promise; await it', { plan: Promise.resolve('pro') }],
    ['limits.seats is no finite number', { limits: { seats: Number.NaN } }],
    ['roles is a Map or Set; send an array', { roles: new Set(['a']) }],
    ['plan is a function', { plan: () => 'pro' }],
    ['no object', { toJSON: () => 'pro' }],
    ['a claim `sub`', { toJSON: () => ({ sub: 'mallory' }) }],
  ])('are rejected with the reason "%s": %o', expectRejection);

  it('are rejected if they have more than 2048 bytes', () => {
    expectRejection('claims of 2049 bytes, and 2048 fit', { c: `${largest.c}x` });
  });
});

function expectRejection(reason: string, claims: unknown): void {
  expect(() => checkedHostClaims(claims)).toThrow(
    expect.objectContaining({
      code: 'server_error',
      details: expect.objectContaining({ reason: expect.stringContaining(reason), where: 'host' }),
    }),
  );
}
