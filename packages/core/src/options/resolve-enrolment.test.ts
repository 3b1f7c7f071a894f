import { describe, expect, it } from 'vitest';
import type { MfaOptions } from '../auth-options.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { type ResolveEnrolmentDeps, resolveEnrolment } from './resolve-enrolment.ts';

const store = memoryStorage().mfa;
const deps: ResolveEnrolmentDeps = {
  issuer: 'https://api.example.com:8443/auth',
  store,
};

/** What an integrator without types may write. */
function resolve(mfa: object | undefined, around: Partial<ResolveEnrolmentDeps> = {}) {
  return resolveEnrolment(mfa as MfaOptions | undefined, { ...deps, ...around });
}

describe('the option mfa.enrolment', () => {
  it('is off by default, and then needs no store', () => {
    const nothing = { store: undefined };
    expect(resolve(undefined, nothing)).toBeUndefined();
    expect(resolve({ enrolment: false, issuerName: 'Example' }, nothing)).toBeUndefined();
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
  ])('rejects %j', (mfa) => {
    expect(() => resolve(mfa)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'mfa_invalid' }),
    );
  });

  it('names the methods that a storage lacks', () => {
    expect(() => resolve({ enrolment: true }, { store: undefined })).toThrow(
      'it lacks mfa.begin, mfa.findPending',
    );
  });
});
