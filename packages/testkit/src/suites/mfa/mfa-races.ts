import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { encryptedSecretOf } from '../../samples/mfa-samples.ts';

const ROUNDS = 20;

export const mfaRaces = mfaSuite('second factor: races between processes', {
  'returns true to one of 100 parallel confirmations, and stores its codes': async (t) => {
    await t.begin('e1');
    const results = await t.inParallel(100, (connection, i) =>
      connection.confirm('e1', `set ${i}`),
    );
    assert.equal(countTrue(results), 1);
    assert.equal((await t.factor()).recoveryCodesLeft, 10);
    for (const i of results.keys()) {
      const isStored = await t.consume(`set ${i}`, 0);
      assert.equal(isStored, results[i]);
    }
  },

  'returns true to 100 parallel calls of the same confirmation': async (t) => {
    await t.begin('e1');
    const results = await t.inParallel(100, (connection) => connection.confirm('e1'));
    assert.equal(countTrue(results), 100);
    assert.equal((await t.factor()).recoveryCodesLeft, 10);
  },

  'consumes a recovery code once under 100 parallel calls': async (t) => {
    await t.enrol('e1');
    const results = await t.inParallel(100, (connection) => connection.consume('e1', 0));
    assert.equal(countTrue(results), 1);
    assert.equal((await t.factor()).recoveryCodesLeft, 9);
  },

  'consumes ten recovery codes once each under 100 parallel calls': async (t) => {
    await t.enrol('e1');
    const results = await t.inParallel(100, (connection, i) =>
      connection.consume('e1', Math.floor(i / 10)),
    );
    assert.equal(countTrue(results), 10);
    assert.equal((await t.factor()).recoveryCodesLeft, 0);
  },

  'removes factor and codes while codes are consumed and replaced in parallel': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const enrolmentId = `e${round}`;
      await t.enrol(enrolmentId);
      await Promise.all([
        inParallel(PROCESSES, processes, (connection, i) =>
          i % 2 === 0 ? connection.consume(enrolmentId, i) : connection.replaceCodes(`set ${i}`),
        ),
        t.mfa.remove(ADA),
      ]);
      assert.equal(await t.mfa.find(ADA), null);
      const sets = [enrolmentId, ...Array.from({ length: PROCESSES }, (_, i) => `set ${i}`)];
      for (const set of sets) {
        assert.equal(await t.consume(set, 9), false);
      }
    });
  },

  'keeps a factor confirmed in parallel to removeEnrolled() of the former factor': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const [old, next] = [`e${round - 1}`, `e${round}`];
      if (round === 1) await t.enrol(old);
      await t.begin(next);
      await Promise.all([
        inParallel(PROCESSES, processes, (connection) => connection.mfa.removeEnrolled(ADA, old)),
        t.confirm(next),
      ]);
      const { enrolmentId, recoveryCodesLeft } = await t.factor();
      assert.deepEqual([enrolmentId, recoveryCodesLeft], [next, 10]);
    });
  },

  'accepts no old code once replaceRecoveryCodes() has returned': async (t) => {
    await t.enrol('set 0');
    await t.rounds(ROUNDS, async (round, processes) => {
      const old = `set ${round - 1}`;
      await Promise.all([
        inParallel(PROCESSES, processes, (connection, i) => connection.consume(old, i)),
        t.replaceCodes(`set ${round}`),
      ]);
      assert.equal((await t.factor()).recoveryCodesLeft, 10);
      const lateResults = await inParallel(10, processes, (connection, i) =>
        connection.consume(old, i),
      );
      assert.equal(countTrue(lateResults), 0);
    });
  },

  'stores the complete codes of one of 40 parallel replacements': async (t) => {
    await t.enrol('e1');
    const results = await t.inParallel(40, (connection, i) => connection.replaceCodes(`set ${i}`));
    assert.equal(countTrue(results), 40);
    const consumed = await Promise.all(
      Array.from({ length: 400 }, (_, i) => t.consume(`set ${Math.floor(i / 10)}`, i % 10)),
    );
    assert.equal(countTrue(consumed), 10);
    // All ten are of one set.
    assert.equal(consumed.lastIndexOf(true) - consumed.indexOf(true), 9);
  },

  'enrols the factor of one of 40 sessions that confirm in parallel': async (t) => {
    await t.inParallel(40, (connection, i) => connection.begin(`e${i}`, `s${i}`));
    const results = await t.inParallel(40, (connection, i) =>
      connection.confirm(`e${i}`, `e${i}`, `s${i}`),
    );
    assert.equal(countTrue(results), 1);
    const { enrolmentId, recoveryCodesLeft } = await t.factor();
    assert.deepEqual([enrolmentId, recoveryCodesLeft], [`e${results.indexOf(true)}`, 10]);
  },

  'confirms only the pending one of 40 parallel enrolments of a session': async (t) => {
    await t.inParallel(40, (connection, i) => connection.begin(`e${i}`));
    const pending = await t.pending();
    const results = await t.inParallel(40, (connection, i) => connection.confirm(`e${i}`));
    assert.equal(countTrue(results), 1);
    assert.equal(pending?.enrolmentId, `e${results.indexOf(true)}`);
    const { encryptedSecret } = await t.factor();
    assert.equal(encryptedSecret, encryptedSecretOf(`e${results.indexOf(true)}`));
  },
});

function countTrue(results: readonly boolean[]): number {
  return results.filter((result) => result).length;
}
