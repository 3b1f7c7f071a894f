import { describe, expect, it, vi } from 'vitest';
import type { ListPage } from '../../schema/list-page.ts';
import {
  claimAll,
  fail,
  fixture,
  namesOf,
  publish,
  requestingUser,
} from '../registry/webhook-fixture.test.support.ts';
import { noWebhooks } from './create-webhook-control.ts';
import type { Webhooks } from './webhook-control.ts';
import { added, created, takeAway, untyped } from './webhook-control-fixture.test.support.ts';

/** Every call about one webhook. */
const CALLS: readonly [what: keyof Webhooks, nothing: unknown, ...rest: unknown[]][] = [
  ['find', null],
  ['change', { outcome: 'unknown' }, { rateLimit: 1 }],
  ['remove', false],
  ['rotateSecret', null],
  ['enable', null],
  ['listDeliveries', null],
  ['recover', null, 0],
];

/** Reads a list to its end, by pages of two. */
async function inPages<Item>(read: (page: object) => Promise<ListPage<Item> | null>) {
  const pages: (readonly Item[])[] = [];
  for (let page: object | null = { limit: 2 }; page !== null; ) {
    const got: ListPage<Item> | null = await read(page);
    if (got === null) throw new Error('there is no list');
    pages.push(got.items);
    page = got.nextCursor === null ? null : { limit: 2, cursor: got.nextCursor };
  }
  return pages;
}

describe('a webhook that the account does not have, for the host', () => {
  it.each(CALLS)(
    'is not found, whether another account has it or it does not exist: %s',
    async (call, nothing, ...rest) => {
      const at = fixture();
      const { ref, webhook } = await created(at);
      at.emitted.splice(0);
      for (const other of [
        { ...ref, accountId: 2 },
        { ...ref, webhookId: 'wh_unknown' },
      ]) {
        expect(await untyped(at.control)[call](other, ...rest)).toEqual(nothing);
      }
      expect(await at.control.find(ref)).toEqual(webhook);
      expect(at.emitted).toEqual([]);
    },
  );

  it.each(CALLS)('is not looked up by a malformed id: %s', async (call, nothing, ...rest) => {
    const at = fixture();
    takeAway(at);
    for (const webhookId of ['', 'wh_\0', 'wh_ä', 'x'.repeat(129), undefined, 7, null]) {
      const ref = { accountId: 1, webhookId };
      expect(await untyped(at.control)[call](ref, ...rest)).toEqual(nothing);
    }
  });
});

describe('a call with a whole webhook in place of its ids', () => {
  it('passes only the ids on to the storage', async () => {
    const at = fixture();
    const { ref, webhook } = await created(at);
    const find = vi.spyOn(at.store, 'find');
    expect(await at.control.find(webhook)).toEqual(webhook);
    expect(find).toHaveBeenCalledWith(ref);
  });
});

describe('the webhooks of an account, for the host', () => {
  it('are listed page by page, oldest first, without their secrets', async () => {
    const at = fixture({ maxWebhooksPerAccount: 5 });
    const all = [];
    for (let i = 0; i < 5; i += 1) all.push((await created(at)).webhook);
    expect(await inPages((page) => at.control.list(1, page))).toEqual([
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
  ])('are not listed for the invalid page %j, and neither are deliveries', async (page, field) => {
    const at = fixture();
    const { ref } = await created(at);
    const rejected = { code: 'invalid_request', details: { fields: [{ field }] } };
    await expect(at.control.list(1, page)).rejects.toMatchObject(rejected);
    await expect(at.control.listDeliveries(ref, page)).rejects.toMatchObject(rejected);
  });
});

describe('the deliveries of a webhook, for the host', () => {
  it('are listed page by page, newest first', async () => {
    const at = fixture();
    const { ref } = await created(at);
    const { ref: other } = await created(at, { event: 'Contact.Removed' });
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      for (const { id } of await publish(at)) ids.unshift(id);
    }
    const pages = await inPages((page) => at.control.listDeliveries(ref, page));
    expect(pages.map((page) => page.map(({ deliveryId }) => deliveryId))).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
    ]);
    expect(await at.control.listDeliveries(other)).toEqual({ items: [], nextCursor: null });
  });

  it('are recovered and counted if they failed since the given time', async () => {
    const at = fixture();
    const { ref } = await created(at);
    await publish(at);
    at.clock.now += 1_000;
    const sinceMs = at.clock.now;
    const died = await publish(at, 3);
    await fail(at, 'exhausted');
    expect(await at.control.recover(ref, sinceMs)).toBe(3);
    expect(new Set(namesOf(await claimAll(at)))).toEqual(new Set(died.map(({ id }) => id)));
    expect(await at.control.recover(ref, sinceMs)).toBe(0);
    expect(await at.control.recover(ref, sinceMs - 1_000)).toBe(1);
  });
});

describe('calls of the host', () => {
  it('are not limited by the quotas of users, and do not count in them', async () => {
    const at = fixture();
    const { ref } = await created(at);
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
      for (const asked of [
        () => create(accountId, added),
        () => list(accountId),
        () => recover(ref, 0),
        ...Object.values(calls).map((call) => () => call(ref, {})),
      ]) {
        const hint =
          typeof accountId === 'string'
            ? '; convert it: Number(id), or id::int of a bigint in PostgreSQL'
            : '';
        await expect(asked()).rejects.toThrow(
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

  it('reject, instead of returning nothing, if the storage is unavailable', async () => {
    const at = fixture();
    const { ref } = await created(at);
    takeAway(at);
    const unavailable = { code: 'temporarily_unavailable' };
    await expect(at.control.create(1, added)).rejects.toMatchObject(unavailable);
    await expect(at.control.list(1)).rejects.toMatchObject(unavailable);
    for (const [call, , ...rest] of CALLS) {
      await expect(untyped(at.control)[call](ref, ...rest)).rejects.toMatchObject(unavailable);
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
