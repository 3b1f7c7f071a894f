import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCallGuard } from '../faults/call-guard.ts';
import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { guardedOutbox } from './guarded-outbox.ts';
import type { NewMessage } from './new-message.ts';
import type { SqlTransaction } from './outbox.ts';

const MESSAGE: NewMessage = {
  accountId: 1,
  messageId: 'msg_1',
  event: 'Contact.Added',
  body: '{}',
  webhookId: null,
  idempotencyKey: null,
  idempotencyMs: 1_000,
  retentionMs: 1_000,
  maxQueued: 10,
};

/** An outbox of a storage that uses the host's transaction as `publishWithin` does. */
function fixture(publishWithin: (tx: SqlTransaction) => PromiseLike<unknown>) {
  const faults: SecurityEvent[] = [];
  const outbox = guardedOutbox(
    {
      async publishWithin(tx) {
        await publishWithin(tx);
        return { outcome: 'published', messageId: 'msg_1', deliveries: 1 };
      },
    },
    createCallGuard('storage', {
      onFault: (rejection) => emitFaultOf(rejection, (event) => void faults.push(event)),
    }),
  );
  const publish = (tx: unknown) => outbox.publishWithin(tx as SqlTransaction, MESSAGE);
  return { publish, faults };
}

const selectOne = (tx: SqlTransaction) => tx.query('SELECT 1', []);

describe('publishing within a transaction of the host', () => {
  it.each<[how: string, query: (error: unknown) => unknown]>([
    ['rejects', async (error) => Promise.reject(error)],
    [
      'throws',
      (error) => {
        throw error;
      },
    ],
  ])('fails with the error of a query that %s, and emits no fault', async (_how, query) => {
    for (const error of [new Error('40001'), 'an error that is none', undefined]) {
      const { publish, faults } = fixture(selectOne);
      const failed = await publish({ query: () => query(error) }).then(
        () => expect.fail(),
        (thrown: unknown) => ({ thrown }),
      );
      expect(failed.thrown).toBe(error);
      expect(faults).toEqual([]);
    }
  });

  it('fails with the error of the query even if the storage has wrapped it', async () => {
    const error = new Error('40001');
    const { publish } = fixture((tx) =>
      selectOne(tx).then(null, (cause) => Promise.reject(new Error('unavailable', { cause }))),
    );
    await expect(publish({ query: () => Promise.reject(error) })).rejects.toBe(error);
  });

  it('fails as temporarily_unavailable, with a fault, if the storage throws and the query does not', async () => {
    const error = new Error('the storage fails');
    const { publish, faults } = fixture(async (tx) => {
      await selectOne(tx);
      throw error;
    });
    await expect(publish({ query: async () => ({ rows: [] }) })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    expect(faults).toEqual([{ type: 'fault', where: 'storage', error }]);
  });

  it.each([[[]], [undefined], [{ rows: 1 }]])(
    'fails with a TypeError that explains the result of a query that resolves to %j',
    async (result) => {
      const { publish, faults } = fixture(selectOne);
      await expect(publish({ query: async () => result })).rejects.toThrow(
        new TypeError('tx.query must resolve to an object with rows, as a client of pg does'),
      );
      expect(faults).toEqual([]);
    },
  );

  it('has no timeout for queries of the host', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    class Client {
      readonly #rows = [];
      async query() {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        return { rows: this.#rows };
      }
    }
    const { publish, faults } = fixture(selectOne);
    const published = publish(new Client());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await published).toMatchObject({ outcome: 'published' });
    expect(faults).toEqual([]);
  });
});
