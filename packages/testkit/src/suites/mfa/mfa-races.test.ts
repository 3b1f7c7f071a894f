import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyMfa } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { mfaRaces } from './mfa-races.ts';

const readsThenWrites = { 'reads and writes non-atomically': nonAtomic };

expectMfaFaultsNoticed(mfaRaces, {
  'returns true to one of 100 parallel confirmations, and stores its codes': {
    ...readsThenWrites,
    'stores the codes of the last call': faultyMfa((mfa) => ({
      confirm: async (userId, confirmation) => {
        const isConfirmed = await mfa.confirm(userId, confirmation);
        await mfa.replaceRecoveryCodes(userId, confirmation.recoveryCodeHashes);
        return isConfirmed;
      },
    })),
  },
  'returns true to 100 parallel calls of the same confirmation': {
    'rejects a repeated call': faultyMfa((mfa) => {
      const confirmed = new Set<string>();
      return {
        confirm: async (userId, confirmation) => {
          const { enrolmentId } = confirmation;
          if (confirmed.has(enrolmentId)) return false;
          confirmed.add(enrolmentId);
          return mfa.confirm(userId, confirmation);
        },
      };
    }),
  },
  'consumes a recovery code once under 100 parallel calls': {
    ...readsThenWrites,
    'checks a code before a separate update': faultyMfa((mfa) => {
      const used = new Set<string>();
      return {
        consumeRecoveryCode: async (userId, hash) => {
          const isUsed = used.has(hash);
          await nextTurn();
          used.add(hash);
          await mfa.consumeRecoveryCode(userId, hash);
          return !isUsed;
        },
      };
    }),
  },
  'consumes ten recovery codes once each under 100 parallel calls': readsThenWrites,
  'removes factor and codes while codes are consumed and replaced in parallel': readsThenWrites,
  'keeps a factor confirmed in parallel to removeEnrolled() of the former factor': {
    ...readsThenWrites,
    'checks the factor before a separate removal': faultyMfa((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) => {
        const factor = await mfa.find(userId);
        await nextTurn();
        return factor?.enrolmentId === enrolmentId && mfa.remove(userId);
      },
    })),
  },
  'accepts no old code once replaceRecoveryCodes() has returned': {
    ...readsThenWrites,
    'returns before the codes are replaced': faultyMfa((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) => {
        void nextTurn().then(() => mfa.replaceRecoveryCodes(userId, hashes));
        return true;
      },
    })),
  },
  'stores the complete codes of one of 40 parallel replacements': {
    'replaces codes in two halves': faultyMfa(() => {
      const codes: string[] = [];
      let calls = 0;
      return {
        replaceRecoveryCodes: async (_userId, hashes) => {
          calls += 1;
          // Early calls write their second half late.
          const turns = calls < 20 ? 2 : 1;
          codes.splice(0, 5, ...hashes.slice(0, 5));
          for (let i = 0; i < turns; i += 1) await nextTurn();
          codes.splice(5, 5, ...hashes.slice(5));
          return true;
        },
        consumeRecoveryCode: async (_userId, hash) => codes.includes(hash),
      };
    }),
    'reads the old codes before a separate replacement': faultyMfa(() => {
      const codes = new Set<string>();
      return {
        replaceRecoveryCodes: async (_userId, hashes) => {
          const before = [...codes];
          await nextTurn();
          for (const hash of before) codes.delete(hash);
          for (const hash of hashes) codes.add(hash);
          return true;
        },
        consumeRecoveryCode: async (_userId, hash) => codes.delete(hash),
      };
    }),
  },
  'enrols the factor of one of 40 sessions that confirm in parallel': readsThenWrites,
  'confirms only the pending one of 40 parallel enrolments of a session': {
    ...readsThenWrites,
    'keeps all enrolments pending': faultyMfa((mfa) => {
      const pending = new Set<string>();
      return {
        begin: (userId, enrolment) => {
          pending.add(enrolment.enrolmentId);
          return mfa.begin(userId, enrolment);
        },
        confirm: async (userId, confirmation) =>
          (await mfa.confirm(userId, confirmation)) || pending.has(confirmation.enrolmentId),
      };
    }),
  },
});
