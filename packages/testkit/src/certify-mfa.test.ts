import { expect, it } from 'vitest';
import { certifyMfa } from './certify-mfa.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { mfaThat, readThenWriteMfa } from './self-test/faulty-mfa.ts';

it('certifyMfa has unique claims, all of which the reference passes', async () => {
  const { held, failed } = await failingCases(
    certifyMfa,
    mfaThat(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('certifyMfa catches a storage that reads, then writes, by its races alone', async () => {
  const { failed } = await failingCases(certifyMfa, readThenWriteMfa);
  expect(failed).toEqual([
    'second factor: reencrypting > is done by one of many processes that try at once',
    'second factor: races between processes > one of 100 parallel confirmations with different codes succeeds, and its codes are kept',
    'second factor: races between processes > one of 100 parallel uses of a recovery code succeeds',
    'second factor: races between processes > ten recovery codes are used ten times, however many try',
    'second factor: races between processes > neither a factor nor a code survives a removal',
    'second factor: races between processes > no factor is lost if it is confirmed while the former one is removed by its enrolment',
    'second factor: races between processes > no old code is taken after its replacement was answered',
    'second factor: races between processes > one of 40 sessions that confirm at once enrols its factor',
    'second factor: races between processes > one of many parallel enrolments is pending, and only it can be confirmed',
    'second factor: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});
