import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  ENROLLING,
  encryptedSecretOf,
  enrol,
  factorOf,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;
/** Several, because a defect may show only in some rounds of a race. */
const ROUNDS = 20;

export const mfaRaces: Suite<MfaFixture> = {
  name: 'second factor: races between processes',
  cases: {
    'stores the codes of the one of 100 parallel confirmations that returns true': async ({
      mfa,
      connections,
    }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      const results = await inParallel(100, await connections(PROCESSES), (connection, i) =>
        connection.confirm(ADA, newConfirmation('e1', `set ${i}`)),
      );
      assert.equal(countTrue(results), 1);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 10);
      for (const i of results.keys()) {
        const isStored = await mfa.consumeRecoveryCode(ADA, codeHash(`set ${i}`, 0));
        assert.equal(isStored, results[i]);
      }
    },

    'returns true to 100 parallel calls of the same confirmation': async ({ mfa, connections }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      const results = await inParallel(100, await connections(PROCESSES), (connection) =>
        connection.confirm(ADA, newConfirmation('e1')),
      );
      assert.equal(countTrue(results), 100);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 10);
    },

    'consumes a recovery code once under 100 parallel calls': async ({ mfa, connections }) => {
      await enrol(mfa, 'e1');
      const results = await inParallel(100, await connections(PROCESSES), (connection) =>
        connection.consumeRecoveryCode(ADA, codeHash('e1', 0)),
      );
      assert.equal(countTrue(results), 1);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9);
    },

    'consumes ten recovery codes once each under 100 parallel calls': async ({
      mfa,
      connections,
    }) => {
      await enrol(mfa, 'e1');
      const results = await inParallel(100, await connections(PROCESSES), (connection, i) =>
        connection.consumeRecoveryCode(ADA, codeHash('e1', Math.floor(i / 10))),
      );
      assert.equal(countTrue(results), 10);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 0);
    },

    'removes factor and codes while codes are consumed and replaced in parallel': async ({
      mfa,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const enrolmentId = `e${round}`;
        await enrol(mfa, enrolmentId);
        await Promise.all([
          inParallel(PROCESSES, processes, (connection, i) =>
            i % 2 === 0
              ? connection.consumeRecoveryCode(ADA, codeHash(enrolmentId, i))
              : connection.replaceRecoveryCodes(ADA, codeHashes(`set ${i}`)),
          ),
          mfa.remove(ADA),
        ]);
        assert.equal(await mfa.find(ADA), null);
        const sets = [enrolmentId, ...Array.from({ length: PROCESSES }, (_, i) => `set ${i}`)];
        for (const set of sets) {
          assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash(set, 9)), false);
        }
      }
    },

    'keeps a factor that is confirmed in parallel to removeEnrolled() of the former factor':
      async ({ mfa, connections }) => {
        const processes = await connections(PROCESSES);
        for (let round = 1; round <= ROUNDS; round += 1) {
          const [old, next] = [`e${round - 1}`, `e${round}`];
          if (round === 1) await enrol(mfa, old);
          await mfa.begin(ADA, newEnrolment(next));
          await Promise.all([
            inParallel(PROCESSES, processes, (connection) => connection.removeEnrolled(ADA, old)),
            mfa.confirm(ADA, newConfirmation(next)),
          ]);
          const { enrolmentId, recoveryCodesLeft } = await factorOf(mfa);
          assert.deepEqual([enrolmentId, recoveryCodesLeft], [next, 10]);
        }
      },

    'accepts no old code once replaceRecoveryCodes() has returned': async ({
      mfa,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      await enrol(mfa, 'set 0');
      for (let round = 1; round <= ROUNDS; round += 1) {
        const old = `set ${round - 1}`;
        await Promise.all([
          inParallel(PROCESSES, processes, (connection, i) =>
            connection.consumeRecoveryCode(ADA, codeHash(old, i)),
          ),
          mfa.replaceRecoveryCodes(ADA, codeHashes(`set ${round}`)),
        ]);
        assert.equal((await factorOf(mfa)).recoveryCodesLeft, 10);
        const lateResults = await inParallel(10, processes, (connection, i) =>
          connection.consumeRecoveryCode(ADA, codeHash(old, i)),
        );
        assert.equal(countTrue(lateResults), 0);
      }
    },

    'stores the complete codes of one of 40 parallel replacements': async ({
      mfa,
      connections,
    }) => {
      await enrol(mfa, 'e1');
      const results = await inParallel(40, await connections(PROCESSES), (connection, i) =>
        connection.replaceRecoveryCodes(ADA, codeHashes(`set ${i}`)),
      );
      assert.equal(countTrue(results), 40);
      const consumed = await Promise.all(
        Array.from({ length: 400 }, (_, i) =>
          mfa.consumeRecoveryCode(ADA, codeHash(`set ${Math.floor(i / 10)}`, i % 10)),
        ),
      );
      assert.equal(countTrue(consumed), 10);
      // All ten are of one set.
      assert.equal(consumed.lastIndexOf(true) - consumed.indexOf(true), 9);
    },

    'enrols the factor of one of 40 sessions that confirm in parallel': async ({
      mfa,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      await inParallel(40, processes, (connection, i) =>
        connection.begin(ADA, newEnrolment(`e${i}`, `s${i}`)),
      );
      const results = await inParallel(40, processes, (connection, i) =>
        connection.confirm(ADA, newConfirmation(`e${i}`, `e${i}`, `s${i}`)),
      );
      assert.equal(countTrue(results), 1);
      const { enrolmentId, recoveryCodesLeft } = await factorOf(mfa);
      assert.deepEqual([enrolmentId, recoveryCodesLeft], [`e${results.indexOf(true)}`, 10]);
    },

    'confirms only the pending one of 40 parallel enrolments of a session': async ({
      mfa,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      await inParallel(40, processes, (connection, i) =>
        connection.begin(ADA, newEnrolment(`e${i}`)),
      );
      const pending = await mfa.findPending(ADA, ENROLLING);
      const results = await inParallel(40, processes, (connection, i) =>
        connection.confirm(ADA, newConfirmation(`e${i}`)),
      );
      assert.equal(countTrue(results), 1);
      assert.equal(pending?.enrolmentId, `e${results.indexOf(true)}`);
      const { encryptedSecret } = await factorOf(mfa);
      assert.equal(encryptedSecret, encryptedSecretOf(`e${results.indexOf(true)}`));
    },
  },
};

function countTrue(results: readonly boolean[]): number {
  return results.filter((result) => result).length;
}
