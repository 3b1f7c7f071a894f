import { originOf, type SessionStore, type Storage } from '@latchhook/core/storage';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPglite } from '../support/servers/shared-database.ts';
import { isHere, openCellStorage, type StorageKind } from '../support/storage/cell-storage.ts';
import { enrol } from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';

const START_MS = Date.UTC(2027, 0, 1);
const KINDS: readonly StorageKind[] = ['redis', 'cluster', 'postgres', 'pglite'];

/** The login transition of an empty storage. `advance` moves its clock. */
async function openTransition(kind: StorageKind) {
  let nowMs = START_MS;
  const opened = await openCellStorage(kind, { clock: { nowMs: () => nowMs } });
  onTestFinished(() => opened.close());
  const { sessions, mfa } = opened.storage;
  const transition = originOf(sessions)?.loginTransition;
  if (transition === undefined || mfa === undefined) throw new Error(`${kind} has none`);
  return {
    sessions,
    mfa,
    createUnlessEnrolled: transition.createUnlessEnrolled,
    advance(ms: number) {
      nowMs += ms;
    },
  };
}

async function sessionIds(sessions: SessionStore): Promise<readonly string[]> {
  return (await sessions.list(ADA)).map(({ sessionId }) => sessionId);
}

type Stores = Required<Pick<Storage, 'sessions' | 'mfa'>>;

/** What may happen before a login after which its user has no factor. */
const WITHOUT_FACTOR: Readonly<Record<string, (store: Stores) => Promise<unknown>>> = {
  'has never enrolled one': async () => {},
  'has only begun to enrol one': ({ mfa }) =>
    mfa.begin(ADA, {
      sessionId: 's0',
      enrolmentId: 'e0',
      encryptedSecret: 'encrypted',
      ttlMs: 60_000,
    }),
  'has removed it': async ({ mfa }) => {
    await enrol(mfa);
    await mfa.remove(ADA);
  },
  'has a factor only under the same id in capitals': ({ mfa }) => enrol(mfa, ADA.toUpperCase()),
};

for (const kind of KINDS) {
  describe.skipIf(!isHere(kind))(`createUnlessEnrolled on ${kind}`, () => {
    if (kind === 'pglite') beforeAll(openPglite);

    it.each(Object.entries(WITHOUT_FACTOR))(
      'creates the session of a user who %s',
      async (_, before) => {
        const store = await openTransition(kind);
        await before(store);
        const created = await store.createUnlessEnrolled(newSession('s1'), AMPLE_LIMITS);
        expect(created).toEqual(await store.sessions.create(newSession('s1'), AMPLE_LIMITS));
        expect(await sessionIds(store.sessions)).toEqual(['s1']);
      },
    );

    it('returns the factor of a user who has enrolled one, and neither stores nor ends a session', async () => {
      const store = await openTransition(kind);
      await store.createUnlessEnrolled(newSession('s1'), AMPLE_LIMITS);
      await enrol(store.mfa);
      await store.mfa.consumeRecoveryCode(ADA, 'code 3');
      expect(await store.createUnlessEnrolled(newSession('s2'), { maxPerUser: 1 })).toEqual({
        outcome: 'enrolled',
        factor: await store.mfa.find(ADA),
      });
      expect(await sessionIds(store.sessions)).toEqual(['s1']);
      expect(await store.sessions.rotate(rotateRequest(1, { sessionId: 's2' }))).toEqual({
        outcome: 'unknown',
      });
    });

    it('ends the least recently rotated session beyond the limit', async () => {
      const store = await openTransition(kind);
      for (const id of ['s1', 's2', 's3']) {
        await store.createUnlessEnrolled(newSession(id), { maxPerUser: 2 });
        store.advance(1000);
      }
      expect(await sessionIds(store.sessions)).toEqual(['s3', 's2']);
    });

    it('rejects a login that began before a revocation of all sessions, with and without a factor', async () => {
      for (const hasFactor of [false, true]) {
        const store = await openTransition(kind);
        if (hasFactor) await enrol(store.mfa);
        await store.sessions.revokeAll(ADA);
        store.advance(1000);
        const login = newSession('s1', { loginAgeMs: 2000 });
        expect(await store.createUnlessEnrolled(login, AMPLE_LIMITS)).toEqual({
          outcome: 'stale_login',
        });
        expect(await sessionIds(store.sessions)).toEqual([]);
      }
    });

    it('returns the session of a call that is repeated after the user has enrolled a factor', async () => {
      const store = await openTransition(kind);
      const created = await store.createUnlessEnrolled(newSession('s1'), AMPLE_LIMITS);
      await enrol(store.mfa);
      expect(await store.createUnlessEnrolled(newSession('s1'), AMPLE_LIMITS)).toEqual(created);
    });

    it('differs from `sessions.create`, which creates a session even if the user has a factor', async () => {
      const store = await openTransition(kind);
      await enrol(store.mfa);
      expect(await store.sessions.create(newSession('s1'), AMPLE_LIMITS)).toMatchObject({
        outcome: 'created',
      });
    });
  });
}
