import { expect, it } from 'vitest';
import { certifyMfa } from './certify-mfa.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { mfaThat, readThenWriteMfa } from './self-test/faulty-mfa.ts';

it('claims nothing twice, and nothing that the reference does not hold', async () => {
  const { held, failed } = await failingClaims(
    certifyMfa,
    mfaThat(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('needs races to notice a storage that reads, then writes', async () => {
  const { failed } = await failingClaims(certifyMfa, readThenWriteMfa);
  expect(failed).toEqual([
    'second factor: resealing > is done by one of many processes that try at once',
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
