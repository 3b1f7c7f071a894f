import { expect, it } from 'vitest';
import { certifyMfa } from './certify-mfa.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { mfaThat, readThenWriteMfa } from './self-test/mfa-that.ts';

it('claims nothing twice, and nothing that the reference does not hold', async () => {
  const { held, failed } = await failingClaims(
    certifyMfa,
    mfaThat(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('sees by races alone what is wrong with a storage that reads, then writes', async () => {
  const { failed } = await failingClaims(certifyMfa, readThenWriteMfa);
  expect(failed).toEqual([
    'second factor: sealing anew > is done by one of many processes that do so at once',
    'second factor: races between processes > one of 100 parallel confirmations with codes of its own holds, and its codes do',
    'second factor: races between processes > one of 100 parallel uses of a recovery code succeeds',
    'second factor: races between processes > ten recovery codes are used ten times, however many try',
    'second factor: races between processes > no factor survives a removal, and no code',
    'second factor: races between processes > no factor is lost that is confirmed while the one before is removed by its enrolment',
    'second factor: races between processes > no old code is taken after its replacement was answered',
    'second factor: races between processes > one of many parallel beginnings is pending, and alone can be confirmed',
    'second factor: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});
