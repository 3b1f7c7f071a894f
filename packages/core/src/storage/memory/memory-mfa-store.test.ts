import { describe, expect, it } from 'vitest';
import { MemoryMfaStore } from './memory-mfa-store.ts';

// What the contract promises is certified by the testkit, in test/storage.
describe('MemoryMfaStore', () => {
  it('keeps the codes that it was given, whatever becomes of the array', async () => {
    const mfa = new MemoryMfaStore({ nowMs: () => 0 });
    const recoveryCodeHashes = ['first', 'second'];
    await mfa.begin('ada', {
      sessionId: 's1',
      enrolmentId: 'e1',
      sealedSecret: 'sealed',
      ttlMs: 1000,
    });
    await mfa.confirm('ada', { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes });
    recoveryCodeHashes.push('third');
    expect(await mfa.consumeRecoveryCode('ada', 'third')).toBe(false);
    expect((await mfa.find('ada'))?.recoveryCodesLeft).toBe(2);
  });

  it('forgets enrolments that were given up, of users that come once each', async () => {
    let nowMs = 0;
    const mfa = new MemoryMfaStore({ nowMs: () => nowMs });
    for (let nth = 0; nth < 1000; nth += 1) {
      const enrolment = {
        sessionId: 's1',
        enrolmentId: `e${nth}`,
        sealedSecret: 'sealed',
        ttlMs: 1000,
      };
      await mfa.begin(`user ${nth}`, enrolment);
      nowMs += 100;
    }
    expect(mfa.pendingCount).toBeLessThan(20);
  });
});
