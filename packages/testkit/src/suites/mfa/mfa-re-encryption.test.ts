import type { MfaStore } from '@latchhook/core/storage';
import { ENROLLING, newConfirmation, newEnrolment } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyMfa, faultyResults } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { mfaReencryption } from './mfa-re-encryption.ts';

type Page = Awaited<ReturnType<MfaStore['listEncrypted']>>;

/** Returns a changed page of the reference, which returns everything on one page. */
function faultyPages(change: (page: Page, limit: number) => Page) {
  return faultyResults('mfa', 'listEncrypted', (result, page) => change(result, page.limit));
}

/** Replaces any secret, without comparing it. */
const overwrites = faultyMfa((mfa) => ({
  replaceEncrypted: async (userId, { replacement }) => {
    const factor = await mfa.find(userId);
    if (factor === null) return false;
    const expected = factor.encryptedSecret;
    return mfa.replaceEncrypted(userId, { expected, replacement });
  },
}));

expectMfaFaultsNoticed(mfaReencryption, {
  'lists the secret of every user’s factor': {
    'lists the first page only': faultyPages(({ items }, limit) => ({
      items: items.slice(0, limit),
      nextCursor: null,
    })),
    'never ends the list': faultyPages(({ items }) => ({ items, nextCursor: 'again' })),
    'folds the case of user ids': faultyPages(({ items, nextCursor }) => ({
      items: items.map(({ owner, encrypted }) => ({ owner: owner.toLowerCase(), encrypted })),
      nextCursor,
    })),
  },
  'continues after a page whose factors were all removed': {
    'stops at an empty page': faultyMfa((mfa) => {
      const everEnrolled: string[] = [];
      return {
        begin: (userId, enrolment) => {
          everEnrolled.push(userId);
          return mfa.begin(userId, enrolment);
        },
        listEncrypted: async ({ limit, cursor }) => {
          const from = Number(cursor ?? 0);
          const users = everEnrolled.slice(from, from + limit);
          const { items } = await mfa.listEncrypted({ limit, cursor: null });
          const page = items.filter(({ owner }) => users.includes(owner));
          return { items: page, nextCursor: page.length === 0 ? null : String(from + limit) };
        },
      };
    }),
  },
  'lists no pending, removed or replaced secret': {
    'lists pending secrets': faultyMfa((mfa) => ({
      listEncrypted: async (page) => {
        const pending = await mfa.findPending('user-grace', ENROLLING);
        const { items, nextCursor } = await mfa.listEncrypted(page);
        const extra = pending && [{ owner: 'user-grace', encrypted: pending.encryptedSecret }];
        return { items: [...items, ...(extra ?? [])], nextCursor };
      },
    })),
    'lists removed secrets': faultyMfa((mfa) => {
      const everListed: Page['items'][number][] = [];
      return {
        begin: (userId, enrolment) => {
          everListed.push({ owner: userId, encrypted: enrolment.encryptedSecret });
          return mfa.begin(userId, enrolment);
        },
        listEncrypted: async () => ({ items: everListed, nextCursor: null }),
      };
    }),
  },
  'replaces only the encrypted secret of the factor': {
    'enrols a new factor': faultyMfa((mfa) => ({
      replaceEncrypted: async (userId, { replacement }) => {
        await mfa.begin(userId, { ...newEnrolment('r'), encryptedSecret: replacement });
        return mfa.confirm(userId, { ...newConfirmation('r'), recoveryCodeHashes: [] });
      },
    })),
    'replaces nothing': faultyMfa(() => ({ replaceEncrypted: async () => true })),
    'replaces secrets of other users too': faultyMfa((mfa) => ({
      replaceEncrypted: async (userId, change) => {
        await mfa.replaceEncrypted('user-grace', change);
        return mfa.replaceEncrypted(userId, change);
      },
    })),
  },
  'replaces no secret that differs from the expected secret': {
    'overwrites any secret': overwrites,
    'always returns true': faultyResults('mfa', 'replaceEncrypted', () => true),
  },
  'returns true if replaceEncrypted() is repeated': {
    'returns false when repeated': faultyMfa((mfa) => ({
      replaceEncrypted: async (userId, { expected, replacement }) => {
        const isExpected = (await mfa.find(userId))?.encryptedSecret === expected;
        return isExpected && mfa.replaceEncrypted(userId, { expected, replacement });
      },
    })),
  },
  'replaces a secret once under 50 parallel calls': {
    'reads and writes non-atomically': nonAtomic,
  },
});
