import { setImmediate as turn } from 'node:timers/promises';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaThat, readThenWriteMfa } from '../../self-test/faulty-mfa.ts';
import { mfaRaces } from './mfa-races.ts';

const readsThenWrites = { 'reads, then writes': readThenWriteMfa };

expectMfaFaultsNoticed(mfaRaces, {
  'one of 100 parallel confirmations with different codes succeeds, and its codes are kept': {
    ...readsThenWrites,
    'lets the last one have its codes': mfaThat((mfa) => ({
      confirm: async (userId, confirmation) => {
        const isConfirmed = await mfa.confirm(userId, confirmation);
        await mfa.replaceRecoveryCodes(userId, confirmation.recoveryCodeHashes);
        return isConfirmed;
      },
    })),
  },
  'one confirmation sent 100 times in parallel succeeds each time': {
    'rejects a repeat': mfaThat((mfa) => {
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
  'one of 100 parallel uses of a recovery code succeeds': {
    ...readsThenWrites,
    'looks, then takes': mfaThat((mfa) => {
      const used = new Set<string>();
      return {
        consumeRecoveryCode: async (userId, hash) => {
          const isUsed = used.has(hash);
          await turn();
          used.add(hash);
          await mfa.consumeRecoveryCode(userId, hash);
          return !isUsed;
        },
      };
    }),
  },
  'ten recovery codes are used ten times, however many try': readsThenWrites,
  'neither a factor nor a code survives a removal': readsThenWrites,
  'no factor is lost if it is confirmed while the former one is removed by its enrolment': {
    ...readsThenWrites,
    'looks, then removes': mfaThat((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) => {
        const factor = await mfa.find(userId);
        await turn();
        return factor?.enrolmentId === enrolmentId && mfa.remove(userId);
      },
    })),
  },
  'no old code is taken after its replacement was answered': {
    ...readsThenWrites,
    'answers before it is done': mfaThat((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) => {
        void turn().then(() => mfa.replaceRecoveryCodes(userId, hashes));
        return true;
      },
    })),
  },
  'one of many parallel replacements takes effect, as a whole': {
    'replaces them half by half': mfaThat(() => {
      const codes: string[] = [];
      let calls = 0;
      return {
        replaceRecoveryCodes: async (_userId, hashes) => {
          calls += 1;
          // Early calls write their second half late.
          const turns = calls < 20 ? 2 : 1;
          codes.splice(0, 5, ...hashes.slice(0, 5));
          for (let nth = 0; nth < turns; nth += 1) await turn();
          codes.splice(5, 5, ...hashes.slice(5));
          return true;
        },
        consumeRecoveryCode: async (_userId, hash) => codes.includes(hash),
      };
    }),
    'adds, and removes what was there before': mfaThat(() => {
      const codes = new Set<string>();
      return {
        replaceRecoveryCodes: async (_userId, hashes) => {
          const before = [...codes];
          await turn();
          for (const hash of before) codes.delete(hash);
          for (const hash of hashes) codes.add(hash);
          return true;
        },
        consumeRecoveryCode: async (_userId, hash) => codes.delete(hash),
      };
    }),
  },
  'one of 40 sessions that confirm at once enrols its factor': readsThenWrites,
  'one of many parallel enrolments is pending, and only it can be confirmed': {
    ...readsThenWrites,
    'keeps all of them': mfaThat((mfa) => {
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
