import { expect, it } from 'vitest';
import { certifyMfa } from './certify-mfa.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { faultyMfa } from './self-test/faulty-storage.ts';
import { nonAtomic } from './self-test/reference.ts';

it('certifyMfa passes the reference storage in all cases, each with a unique title', async () => {
  const { passed, failed } = await failingCases(
    certifyMfa,
    faultyMfa(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(passed).size).toBe(passed.length);
});

it('certifyMfa fails a non-atomic storage in parallel cases only', async () => {
  const { failed } = await failingCases(certifyMfa, nonAtomic);
  expect(failed).toEqual([
    'second factor: re-encryption > replaces a secret once under 50 parallel calls',
    'second factor: races between processes > returns true to one of 100 parallel confirmations, and stores its codes',
    'second factor: races between processes > consumes a recovery code once under 100 parallel calls',
    'second factor: races between processes > consumes ten recovery codes once each under 100 parallel calls',
    'second factor: races between processes > removes factor and codes while codes are consumed and replaced in parallel',
    'second factor: races between processes > keeps a factor confirmed in parallel to removeEnrolled() of the former factor',
    'second factor: races between processes > accepts no old code once replaceRecoveryCodes() has returned',
    'second factor: races between processes > enrols the factor of one of 40 sessions that confirm in parallel',
    'second factor: races between processes > confirms only the pending one of 40 parallel enrolments of a session',
    'second factor: disturbances that lose no data > confirms once under 100 parallel calls during a disturbance',
  ]);
});
