import type { MfaStore } from '@latchhook/core/storage';
import { confirming, ENROLLING, newEnrolment } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaThat, readThenWriteMfa } from '../../self-test/faulty-mfa.ts';
import { mfaResealing } from './mfa-resealing.ts';

type Page = Awaited<ReturnType<MfaStore['listSealed']>>;

/** Answers other pages than the reference, which has only one. */
function pagesThat(show: (page: Page, limit: number) => Page) {
  return mfaThat((mfa) => ({
    listSealed: async (page) => show(await mfa.listSealed(page), page.limit),
  }));
}

/** Replaces whatever is there, without comparing. */
const overwrites = mfaThat((mfa) => ({
  replaceSealed: async (userId, { replacement }) => {
    const factor = await mfa.find(userId);
    if (factor === null) return false;
    const expected = factor.sealedSecret;
    return mfa.replaceSealed(userId, { expected, replacement });
  },
}));

expectMfaFaultsNoticed(mfaResealing, {
  'lists the secret of every user’s factor': {
    'lists one page': pagesThat(({ items }, limit) => ({
      items: items.slice(0, limit),
      nextCursor: null,
    })),
    'walks in circles': pagesThat(({ items }) => ({ items, nextCursor: 'again' })),
    'folds ids': pagesThat(({ items, nextCursor }) => ({
      items: items.map(({ owner, sealed }) => ({ owner: owner.toLowerCase(), sealed })),
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
        listSealed: async ({ limit, cursor }) => {
          const from = Number(cursor ?? 0);
          const users = everSeen.slice(from, from + limit);
          const { items } = await mfa.listSealed({ limit, cursor: null });
          const page = items.filter(({ owner }) => users.includes(owner));
          return { items: page, nextCursor: page.length === 0 ? null : String(from + limit) };
        },
      };
    }),
  },
  'lists nothing that is pending, was removed, or was replaced': {
    'lists what is pending': mfaThat((mfa) => ({
      listSealed: async (page) => {
        const pending = await mfa.findPending('user-grace', ENROLLING);
        const { items, nextCursor } = await mfa.listSealed(page);
        const more = pending && [{ owner: 'user-grace', sealed: pending.sealedSecret }];
        return { items: [...items, ...(more ?? [])], nextCursor };
      },
    })),
    'lists what was': mfaThat((mfa) => {
      const known: Page['items'][number][] = [];
      return {
        begin: (userId, enrolment) => {
          known.push({ owner: userId, sealed: enrolment.sealedSecret });
          return mfa.begin(userId, enrolment);
        },
        listSealed: async () => ({ items: known, nextCursor: null }),
      };
    }),
  },
  'changes nothing of a factor except how its secret is sealed': {
    'enrols it again': mfaThat((mfa) => ({
      replaceSealed: async (userId, { replacement }) => {
        await mfa.begin(userId, { ...newEnrolment('r'), sealedSecret: replacement });
        return mfa.confirm(userId, { ...confirming('r'), recoveryCodeHashes: [] });
      },
    })),
    'does nothing': mfaThat(() => ({ replaceSealed: async () => true })),
    'does so for everybody': mfaThat((mfa) => ({
      replaceSealed: async (userId, change) => {
        await mfa.replaceSealed('user-grace', change);
        return mfa.replaceSealed(userId, change);
      },
    })),
  },
  'leaves a secret alone that has replaced the expected one': {
    overwrites,
    'always says that it did': mfaThat((mfa) => ({
      replaceSealed: async (userId, change) => (await mfa.replaceSealed(userId, change)) || true,
    })),
  },
  'answers the same when repeated': {
    'says whether it did something': mfaThat((mfa) => ({
      replaceSealed: async (userId, { expected, replacement }) => {
        const isExpected = (await mfa.find(userId))?.sealedSecret === expected;
        return isExpected && mfa.replaceSealed(userId, { expected, replacement });
      },
    })),
  },
  'is done by one of many processes that try at once': {
    'reads, then writes': readThenWriteMfa,
  },
});
