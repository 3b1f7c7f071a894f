import type { SqlTransaction } from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import { startFakeReceiver } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, openSchema } from '../postgres/open-schema.ts';
import { ACCOUNT_ID, startOutboxApp } from '../postgres/outbox-app.ts';
import { HAS_POSTGRES, LIBRARY_NAMES, openLibrary } from './open-library.ts';
import type { LibraryTransaction } from './users-tables.ts';

/** Text that looks like placeholders, quotes and formats of libraries. */
const AWKWARD = `what? $1 $2 :name ?? \\? 'quoted' "quoted" {0} %s \u{1F512}`;

async function openFixture(name: string) {
  const library = await openLibrary(name);
  const user = await library.tables.addUser({
    username: 'ada@example.com',
    passwordHash: null,
    accounts: [],
  });
  const receiver = await startFakeReceiver();
  onTestFinished(() => receiver.close());
  const { auth } = await startOutboxApp(connect(), await openSchema(), {
    worker: inProcessWorker(),
    url: receiver.url,
  });
  const addMembership = async ({ addMembership, tx }: LibraryTransaction, accountId: number) => {
    await addMembership(user.id, accountId);
    return auth.events.publish(
      'Contact.Added',
      { accountId: ACCOUNT_ID, data: { note: `${accountId} ${AWKWARD}` } },
      { tx },
    );
  };
  const memberships = async () => (await library.userStore.findById(user.id))?.accounts;
  return { ...library, receiver, addMembership, memberships };
}

describe.skipIf(!HAS_POSTGRES).each(LIBRARY_NAMES)(
  'events published in a transaction by %s',
  (name) => {
    it('are sent if the transaction commits, and dropped with its writes if it rolls back', async () => {
      const { inTransaction, addMembership, memberships, receiver } = await openFixture(name);
      const rolledBack = inTransaction(async (transaction) => {
        const event = await addMembership(transaction, 1);
        expect(event.deliveries).toBe(1);
        throw new Error('the host thought better of it');
      });
      await expect(rolledBack).rejects.toThrow('thought better');
      expect(await memberships()).toEqual([]);

      const { id } = await inTransaction((transaction) => addMembership(transaction, 2));
      expect(await memberships()).toEqual([2]);

      // Events are sent in the order of publishing: had the rolled-back event been stored, it would arrive first.
      const [request] = await receiver.waitFor(1);
      expect(request?.headers['webhook-id']).toBe(id);
      expect(JSON.parse(String(request?.body)).data).toEqual({ note: `2 ${AWKWARD}` });
    });

    it('reject with the error of the library', async () => {
      const { inTransaction, addMembership } = await openFixture(name);
      const errors: unknown[] = [];
      const failing = inTransaction(async ({ tx, ...transaction }) => {
        await Promise.resolve(tx.query('SELECT 1 / $1::text::int', ['0'])).catch(() => {});
        const recorded: SqlTransaction = {
          query: (text, values) =>
            Promise.resolve(tx.query(text, values)).catch((error: unknown) => {
              errors.push(error);
              throw error;
            }),
        };
        const publishOnly = { ...transaction, addMembership: async () => {}, tx: recorded };
        await addMembership(publishOnly, 1).catch((error: unknown) => errors.push(error));
        throw new Error('the host thought better of it');
      });
      await expect(failing).rejects.toThrow('thought better');
      const [ofLibrary, ofPublish] = errors;
      expect(errors).toHaveLength(2);
      expect(ofPublish).toBe(ofLibrary);
      expect(ofLibrary).toBeInstanceOf(Error);
    });
  },
);
