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
    'lists the first page only': pagesThat(({ items }, limit) => ({
      items: items.slice(0, limit),
      nextCursor: null,
    })),
    'never ends the list': pagesThat(({ items }) => ({ items, nextCursor: 'again' })),
    'folds the case of user ids': pagesThat(({ items, nextCursor }) => ({
      items: items.map(({ owner, encrypted }) => ({ owner: owner.toLowerCase(), encrypted })),
      nextCursor,
    })),
  },
  'continues after a page whose factors were all removed': {
    'stops at an empty page': mfaThat((mfa) => {
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
  'lists no pending, removed or replaced secret': {
    'lists pending secrets': mfaThat((mfa) => ({
      listEncrypted: async (page) => {
        const pending = await mfa.findPending('user-grace', ENROLLING);
        const { items, nextCursor } = await mfa.listEncrypted(page);
        const more = pending && [{ owner: 'user-grace', encrypted: pending.encryptedSecret }];
        return { items: [...items, ...(more ?? [])], nextCursor };
      },
    })),
    'lists removed secrets': mfaThat((mfa) => {
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
  'replaces the encrypted secret, and changes nothing else of the factor': {
    'enrols a new factor': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, { replacement }) => {
        await mfa.begin(userId, { ...newEnrolment('r'), encryptedSecret: replacement });
        return mfa.confirm(userId, { ...confirming('r'), recoveryCodeHashes: [] });
      },
    })),
    'replaces nothing': mfaThat(() => ({ replaceEncrypted: async () => true })),
    'replaces secrets of other users too': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, change) => {
        await mfa.replaceEncrypted('user-grace', change);
        return mfa.replaceEncrypted(userId, change);
      },
    })),
  },
  'replaces no secret other than the expected one': {
    'overwrites any secret': overwrites,
    'always returns true': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, change) =>
        (await mfa.replaceEncrypted(userId, change)) || true,
    })),
  },
  'returns true again when repeated': {
    'returns false when repeated': mfaThat((mfa) => ({
      replaceEncrypted: async (userId, { expected, replacement }) => {
        const isExpected = (await mfa.find(userId))?.encryptedSecret === expected;
        return isExpected && mfa.replaceEncrypted(userId, { expected, replacement });
      },
    })),
  },
  'replaces a secret once under 50 parallel calls': {
    'reads and writes non-atomically': readThenWriteMfa,
  },
});
