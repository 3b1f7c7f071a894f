import type { MfaStore } from '@latchhook/core/storage';
import { confirming, ENROLLING, newEnrolment } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaThat, readThenWriteMfa } from '../../self-test/faulty-mfa.ts';
import { mfaReencryption } from './mfa-re-encryption.ts';

type Page = Awaited<ReturnType<MfaStore['listEncrypted']>>;

/** Answers other pages than the reference, which has only one. */
function pagesThat(show: (page: Page, limit: number) => Page) {
  return mfaThat((mfa) => ({
    listEncrypted: async (page) => show(await mfa.listEncrypted(page), page.limit),
  }));
}

/** Replaces whatever is there, without comparing. */
const overwrites = mfaThat((mfa) => ({
  replaceEncrypted: async (userId, { replacement }) => {
    const factor = await mfa.find(userId);
    if (factor === null) return false;
    const expected = factor.encryptedSecret;
    return mfa.replaceEncrypted(userId, { expected, replacement });
  },
}));

expectMfaFaultsNoticed(mfaReencryption, {
  'lists the secret of every user’s factor': {
    'lists one page': pagesThat(({ items }, limit) => ({
      items: items.slice(0, limit),
      nextCursor: null,
    })),
    'walks in circles': pagesThat(({ items }) => ({ items, nextCursor: 'again' })),
    'folds ids': pagesThat(({ items, nextCursor }) => ({
      items: items.map(({ owner, encrypted }) => ({ owner: owner.toLowerCase(), encrypted })),
      nextCursor,
    })),
  },
  'goes on after a page on which nothing is left': {
    'ends with an empty page': mfaThat((mfa) => {
      const everSeen: string[] = [];
      return {
        begin: (userId, enrolment) => {
          everSeen.push(userId);
          return mfa.begin(userId, enrolment);
        },
        listEncrypted: async ({ limit, cursor }) => {
          const from = Number(cursor ?? 0);
          const users = everSeen.slice(from, from + limit);
          const { items } = await mfa.listEncrypted({ limit, cursor: null });
          const page = items.filter(({ owner }) => users.includes(owner));
          return { items: page, nextCursor: page.length === 0 ? null : String(from + limit) };
        },
      };
    }),
  },
  'lists nothing that is pending, was removed, or was replaced': {
    'lists what is pending': mfaThat((mfa) => ({
      listEncrypted: async (page) => {
        const pending = await mfa.findPending('user-grace', ENROLLING);
        const { items, nextCursor } = await mfa.listEncrypted(page);
        const more = pending && [{ owner: 'user-grace', encrypted: pending.encryptedSecret }];
        return { items: [...items, ...(more ?? [])], nextCursor };
      },
    })),
    'lists what was': mfaThat((mfa) => {
      const known: Page['items'][number][] = [];
      return {
        begin: (userId, enrolment) => {
          known.push({ owner: userId, encrypted: enrolment.encryptedSecret });
          return mfa.begin(userId, enrolment);
        },
        listEncrypted: async () => ({ items: known, nextCursor: null }),
      };
    }),
  },
  'changes nothing of a factor except how its secret is encrypted': {
    'enrols it again': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, { replacement }) => {
        await mfa.begin(userId, { ...newEnrolment('r'), encryptedSecret: replacement });
        return mfa.confirm(userId, { ...confirming('r'), recoveryCodeHashes: [] });
      },
    })),
    'does nothing': mfaThat(() => ({ replaceEncrypted: async () => true })),
    'does so for everybody': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, change) => {
        await mfa.replaceEncrypted('user-grace', change);
        return mfa.replaceEncrypted(userId, change);
      },
    })),
  },
  'leaves a secret alone that has replaced the expected one': {
    overwrites,
    'always says that it did': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, change) =>
        (await mfa.replaceEncrypted(userId, change)) || true,
    })),
  },
  'answers the same when repeated': {
    'says whether it did something': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, { expected, replacement }) => {
        const isExpected = (await mfa.find(userId))?.encryptedSecret === expected;
        return isExpected && mfa.replaceEncrypted(userId, { expected, replacement });
      },
    })),
  },
  'is done by one of many processes that try at once': {
    'reads, then writes': readThenWriteMfa,
  },
});
