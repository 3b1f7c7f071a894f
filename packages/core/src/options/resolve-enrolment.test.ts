import { describe, expect, it } from 'vitest';
import type { MfaOptions } from '../auth-options.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { type ResolveEnrolmentDeps, resolveEnrolment } from './resolve-enrolment.ts';

const store = memoryStorage().mfa;
const deps: ResolveEnrolmentDeps = {
  issuer: 'https://api.example.com:8443/auth',
  store,
};

/** `mfa` may be anything that an integrator without types writes. */
function resolve(mfa: object | undefined, overrides: Partial<ResolveEnrolmentDeps> = {}) {
  return resolveEnrolment(mfa as MfaOptions | undefined, { ...deps, ...overrides });
}

describe('the option mfa.enrolment', () => {
  it('is off by default, and needs no store while it is off', () => {
    const noStore = { store: undefined };
    expect(resolve(undefined, noStore)).toBeUndefined();
    expect(resolve({ enrolment: false, issuerName: 'Example' }, noStore)).toBeUndefined();
  });

  it('uses the host of the issuer as issuerName, unless one is given', () => {
    expect(resolve({ enrolment: true })).toEqual({ issuerName: 'api.example.com' });
    expect(resolve({ enrolment: true, issuerName: 'Example Inc' })?.issuerName).toBe('Example Inc');
  });

  it.each([
    { enrolment: 'false' },
    { enrolment: 1 },
    { enrolment: null },
    { issuerName: '' },
    { issuerName: 'Example: Inc' },
    { issuerName: 'x'.repeat(65) },
    { issuerName: 'a\nb' },
    { issuerName: 'a\ud800' },
    { issuerName: 7 },
  ])('is rejected with mfa_invalid: %j', (mfa) => {
    expect(() => resolve(mfa)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'mfa_invalid' }),
    );
  });

  it('is rejected by an error that names the missing methods if the storage keeps no factors', () => {
    expect(() => resolve({ enrolment: true }, { store: undefined })).toThrow(
      'it lacks mfa.begin, mfa.findPending',
    );
  });
});
