import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  confirming,
  encryptedSecretOf,
  enrol,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

/** What its user can no longer use must not be usable by somebody who reads the storage either. */
export const mfaAtRest: Suite<MfaFixture> = {
  name: 'second factor: secrets at rest',
  needs: 'dump',
  cases: {
    'keeps no secret or code of a removed factor': async ({ mfa, dump }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2', 'another session'));
      await mfa.remove(ADA);
      const hashes = codeHashes('e1');
      await assertForgotten(dump, [encryptedSecretOf('e1'), encryptedSecretOf('e2'), ...hashes]);
    },

    'keeps no secret or code of a replaced factor or enrolment': async ({ mfa, dump }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2', 'another session'));
      await enrol(mfa, 'e3');
      const hashes = codeHashes('e1');
      await assertForgotten(dump, [encryptedSecretOf('e1'), encryptedSecretOf('e2'), ...hashes]);
    },

    'keeps no used or replaced recovery code': async ({ mfa, dump }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      await mfa.confirm(ADA, confirming('e1'));
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 3));
      await assertForgotten(dump, [codeHash('e1', 3)]);
      await mfa.replaceRecoveryCodes(ADA, codeHashes('new'));
      await mfa.consumeRecoveryCode(ADA, codeHash('new', 0));
      await assertForgotten(dump, [...codeHashes('e1'), codeHash('new', 0)]);
    },
  },
};

async function assertForgotten(
  dump: () => Promise<string>,
  texts: readonly string[],
): Promise<void> {
  const atRest = await dump();
  for (const [index, text] of texts.entries()) {
    const held = [text, JSON.stringify(text).slice(1, -1)].some((form) => atRest.includes(form));
    assert.ok(!held, `what is over is at rest still: ${index}`);
  }
}
