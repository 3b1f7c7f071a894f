import { describe, expect, it, vi } from 'vitest';
import type { ListPage } from '../../schema/list-page.ts';
import {
  claimAllDue,
  deliveryIdsOf,
  FIELDS,
  failAllDue,
  fixture,
  publish,
  requestingUser,
} from '../registry/webhook-fixture.test.support.ts';
import { noWebhooks } from './create-webhook-control.ts';
import type { Webhooks } from './webhook-control.ts';
import { breakStorage, createByHost, untyped } from './webhook-control-fixture.test.support.ts';

/** Every method for one webhook, with its result for an unknown webhook and its further arguments. */
const CALLS: readonly [method: keyof Webhooks, nothing: unknown, ...rest: unknown[]][] = [
  ['find', null],
  ['change', { outcome: 'unknown' }, { rateLimit: 1 }],
  ['remove', false],
  ['rotateSecret', null],
  ['enable', null],
  ['listDeliveries', null],
  ['recover', null, 0],
];

/** Reads a list to its end, by pages of two. */
async function readPages<Item>(read: (page: object) => Promise<ListPage<Item> | null>) {
  const pages: (readonly Item[])[] = [];
  for (let page: object | null = { limit: 2 }; page !== null; ) {
    const list: ListPage<Item> | null = await read(page);
    if (list === null) throw new Error('there is no list');
    pages.push(list.items);
    page = list.nextCursor === null ? null : { limit: 2, cursor: list.nextCursor };
  }
  return pages;
}

describe('a method of auth.webhooks for an unknown webhook', () => {
  it.each(CALLS)(
    '%s() finds neither a webhook of another account nor one with an unknown id',
    async (method, nothing, ...rest) => {
      const at = fixture();
      const { ref, webhook } = await createByHost(at);
      at.emitted.splice(0);
      for (const other of [
        { ...ref, accountId: 2 },
        { ...ref, webhookId: 'wh_unknown' },
      ]) {
        expect(await untyped(at.control)[method](other, ...rest)).toEqual(nothing);
      }
      expect(await at.control.find(ref)).toEqual(webhook);
      expect(at.emitted).toEqual([]);
    },
  );

  it.each(CALLS)('%s() does not look up a malformed id', async (method, nothing, ...rest) => {
    const at = fixture();
    breakStorage(at);
    for (const webhookId of ['', 'wh_\0', 'wh_ä', 'x'.repeat(129), undefined, 7, null]) {
      const ref = { accountId: 1, webhookId };
      expect(await untyped(at.control)[method](ref, ...rest)).toEqual(nothing);
    }
  });
});

describe('a call of auth.webhooks with a whole webhook instead of its ids', () => {
  it('passes only the ids on to the storage', async () => {
    const at = fixture();
    const { ref, webhook } = await createByHost(at);
    const find = vi.spyOn(at.store, 'find');
    expect(await at.control.find(webhook)).toEqual(webhook);
    expect(find).toHaveBeenCalledWith(ref);
  });
});

describe('auth.webhooks.list', () => {
  it('returns the webhooks of an account page by page, oldest first, without their secrets', async () => {
    const at = fixture({ maxWebhooksPerAccount: 5 });
    const all = [];
    for (let i = 0; i < 5; i += 1) all.push((await createByHost(at)).webhook);
    expect(await readPages((page) => at.control.list(1, page))).toEqual([
      all.slice(0, 2),
      all.slice(2, 4),
      all.slice(4),
    ]);
    expect(await at.control.list(1)).toEqual({ items: all, nextCursor: null });
    expect(await at.control.list(2)).toEqual({ items: [], nextCursor: null });
  });

  it.each<[page: object, field: string]>([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ cursor: 'x' }, 'cursor'],
    [{ after: 1 }, 'after'],
  ])(
    'rejects the invalid page %j with invalid_request, like listDeliveries',
    async (page, field) => {
      const at = fixture();
      const { ref } = await createByHost(at);
      const rejected = { code: 'invalid_request', details: { fields: [{ field }] } };
      await expect(at.control.list(1, page)).rejects.toMatchObject(rejected);
      await expect(at.control.listDeliveries(ref, page)).rejects.toMatchObject(rejected);
    },
  );
});

describe('the deliveries of a webhook of auth.webhooks', () => {
  it('are listed page by page, newest first', async () => {
    const at = fixture();
    const { ref } = await createByHost(at);
    const { ref: other } = await createByHost(at, { event: 'Contact.Removed' });
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      for (const { id } of await publish(at)) ids.unshift(id);
    }
    const pages = await readPages((page) => at.control.listDeliveries(ref, page));
    expect(pages.map((page) => page.map(({ deliveryId }) => deliveryId))).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
    ]);
    expect(await at.control.listDeliveries(other)).toEqual({ items: [], nextCursor: null });
  });

  it('are recovered and counted if they were created since sinceMs, and have failed', async () => {
    const at = fixture();
    const { ref } = await createByHost(at);
    await publish(at);
    at.clock.now += 1_000;
    const sinceMs = at.clock.now;
    const published = await publish(at, 3);
    await failAllDue(at, 'exhausted');
    expect(await at.control.recover(ref, sinceMs)).toBe(3);
    expect(new Set(deliveryIdsOf(await claimAllDue(at)))).toEqual(
      new Set(published.map(({ id }) => id)),
    );
    expect(await at.control.recover(ref, sinceMs)).toBe(0);
    expect(await at.control.recover(ref, sinceMs - 1_000)).toBe(1);
  });
});

describe('calls of auth.webhooks', () => {
  it('are not limited by the quotas of users, and do not count in them', async () => {
    const at = fixture();
    const { ref } = await createByHost(at);
    // Users have a quota of 300 such calls a minute.
    for (let i = 0; i < 301; i += 1) {
      expect(await at.control.enable(ref)).not.toBeNull();
      expect(await at.control.recover(ref, 0)).toBe(0);
    }
    for (let i = 0; i < 300; i += 1) await at.registry.enable(ref, requestingUser);
    await expect(at.registry.enable(ref, requestingUser)).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    expect(await at.control.enable(ref)).not.toBeNull();
  });

  it('reject with a TypeError if the account or the time is invalid', async () => {
    const { control } = fixture();
    const { create, list, recover, ...calls } = untyped(control);
    for (const accountId of [0, -1, 1.5, 2 ** 53, '1', null, undefined]) {
      const ref = { accountId, webhookId: 'wh_1' };
      for (const call of [
        () => create(accountId, FIELDS),
        () => list(accountId),
        () => recover(ref, 0),
        ...Object.values(calls).map((method) => () => method(ref, {})),
      ]) {
        const hint =
          typeof accountId === 'string'
            ? '; convert it: Number(id), or id::int of a bigint in PostgreSQL'
            : '';
        await expect(call()).rejects.toThrow(
          new TypeError(
            `accountId must be an integer from 1: the account that the webhook belongs to${hint}`,
          ),
        );
      }
    }
    for (const sinceMs of [undefined, null, '2026-01-01T00:00:00Z', Number.NaN, 1.5]) {
      await expect(recover({ accountId: 1, webhookId: 'wh_1' }, sinceMs)).rejects.toThrow(
        new TypeError('sinceMs must be an integer: milliseconds since 1970'),
      );
    }
  });

  it('reject with temporarily_unavailable if the storage is unavailable', async () => {
    const at = fixture();
    const { ref } = await createByHost(at);
    breakStorage(at);
    const unavailable = { code: 'temporarily_unavailable' };
    await expect(at.control.create(1, FIELDS)).rejects.toMatchObject(unavailable);
    await expect(at.control.list(1)).rejects.toMatchObject(unavailable);
    for (const [method, , ...rest] of CALLS) {
      await expect(untyped(at.control)[method](ref, ...rest)).rejects.toMatchObject(unavailable);
    }
  });

  it('reject with webhooks_missing if webhooks are not configured', async () => {
    const { control } = fixture();
    expect(Object.keys(noWebhooks)).toEqual(Object.keys(control));
    for (const call of Object.values(untyped(noWebhooks))) {
      await expect(call()).rejects.toMatchObject({
        name: 'ConfigError',
        code: 'webhooks_missing',
        message: expect.stringContaining('webhooks: { worker: inProcessWorker() }'),
      });
    }
  });
});
