import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_EVENTS } from '../../webhook-events.ts';
import type { EventType } from '../events/event-types.ts';
import { createEvents, noEvents } from './create-events.ts';
import type { EventMessage } from './events.ts';
import type { CheckedEvent } from './publisher.ts';

function fixture(types: Readonly<Record<string, EventType>> = {}) {
  const messages: CheckedEvent[] = [];
  const transactions: unknown[] = [];
  const { publish } = createEvents({
    accountIdKind: 'integer',
    types: new Map([
      ...WEBHOOK_EVENTS.map((name) => [name, {}] as const),
      ...Object.entries(types),
    ]),
    publishEvent: async (message, tx) => {
      messages.push(message);
      transactions.push(tx);
      return { id: message.id, deliveries: 2 };
    },
  });
  return { publish, messages, transactions };
}

/** `publish` without types, for calls from JavaScript. */
type Untyped = (event: unknown, message?: unknown, options?: unknown) => Promise<unknown>;

describe('publishing an event', () => {
  it('returns its id and the number of deliveries', async () => {
    const { publish, messages } = fixture();
    const data = { contactId: 'c_1' };
    const published = await publish('Contact.Added', { accountId: 1, data });
    expect(published).toEqual({ id: expect.stringMatching(/^msg_[\w-]{22}$/), deliveries: 2 });
    expect(messages).toEqual([
      {
        id: published.id,
        event: 'Contact.Added',
        accountId: 1,
        data,
        idempotencyKey: null,
      },
    ]);
  });

  it('uses the id and the idempotency key of the message', async () => {
    const { publish, messages } = fixture();
    const message = { accountId: 1, data: {}, id: 'order-7_a', idempotencyKey: 'k'.repeat(255) };
    expect(await publish('Account.Updated', message)).toMatchObject({ id: 'order-7_a' });
    expect(messages).toMatchObject([{ id: 'order-7_a', idempotencyKey: 'k'.repeat(255) }]);
  });

  it('uses the transaction of its options, and none without options', async () => {
    const { publish, transactions } = fixture();
    const tx = { query: async () => ({ rows: [] }) };
    await publish('Contact.Added', { accountId: 1, data: {} }, { tx });
    await publish('Contact.Added', { accountId: 1, data: {} });
    expect(transactions).toEqual([tx, undefined]);
  });

  it('publishes without a key if the key of a request is undefined', async () => {
    const { publish, messages } = fixture();
    await publish('Contact.Added', { accountId: 1, data: {}, idempotencyKey: undefined });
    expect(messages).toMatchObject([{ idempotencyKey: null }]);
  });

  it('rejects a `tx` that is not a transaction, and publishes nothing', async () => {
    const { publish, messages } = fixture();
    for (const tx of [undefined, null, 'tx', {}, { query: true }]) {
      await expect(
        (publish as Untyped)('Contact.Added', { accountId: 1, data: {} }, { tx }),
      ).rejects.toThrow(/^tx must be a transaction: an object with query/);
    }
    expect(messages).toEqual([]);
  });

  it.each<[what: string, message: string, options: unknown]>([
    [
      'with an unknown field',
      'there is no field "transaction"; publish takes: tx',
      { transaction: {} },
    ],
    [
      'with an idempotencyKey',
      'idempotencyKey belongs in the event, beside accountId',
      { tx: {}, idempotencyKey: 'k' },
    ],
    ['that are a text', 'the options of publish must be an object', 'tx'],
    ['that are null', 'the options of publish must be an object', null],
  ])('rejects options %s', async (_, message, options) => {
    const { publish, messages } = fixture();
    await expect(
      (publish as Untyped)('Contact.Added', { accountId: 1, data: {} }, options),
    ).rejects.toThrow(message);
    expect(messages).toEqual([]);
  });

  it('validates data only by the schema of its event', async () => {
    const schema = v.object({ contactId: v.pipe(v.string(), v.trim()) });
    const { publish, messages } = fixture({ 'Contact.Added': { schema } });
    await publish('Contact.Added', { accountId: 1, data: { contactId: ' c_1 ' } });
    await publish('Contact.Removed', { accountId: 1, data: { contactId: 7 } });
    expect(messages.map(({ data }) => data)).toEqual([{ contactId: 'c_1' }, { contactId: 7 }]);
    await expect(
      publish('Contact.Added', { accountId: 1, data: { contactId: 7 } }),
    ).rejects.toThrow(new TypeError('the schema of Contact.Added rejects data.contactId'));
    expect(messages).toHaveLength(2);
  });

  it('rejects an event that Latchhook publishes itself', async () => {
    const { publish, messages } = fixture({
      'Security.Login': { securityEvent: 'login.succeeded' },
    });
    await expect(publish('Security.Login', { accountId: 1, data: {} })).rejects.toThrow(
      new TypeError('Security.Login is published by Latchhook itself, at each login.succeeded'),
    );
    expect(messages).toEqual([]);
  });

  it.each<[event: unknown, what: string]>([
    ['Contact.Add', 'there is no event "Contact.Add"'],
    ['Webhook.Ping', 'there is no event "Webhook.Ping"'],
    ['billing.invoice.payd', 'there is no event "billing.invoice.payd"'],
    ['Invoice-Paid2', 'there is no event "Invoice-Paid2"'],
    ['pat_0123456789abcdef', 'there is no event that is such a string'],
    [undefined, 'there is no event undefined'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'there is no event that is such a string'],
    [{ email: 'ada@example.com' }, 'there is no event that is of type object'],
  ])('rejects the event %j with a TypeError: %s', async (event, what) => {
    const { publish, messages } = fixture();
    await expect((publish as Untyped)(event)).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining(what),
    });
    expect(messages).toEqual([]);
  });

  it.each<[message: unknown, what: string]>([
    [undefined, 'accountId must be an integer from 1'],
    [null, 'accountId must be an integer from 1'],
    [{ data: {} }, 'accountId must be an integer from 1'],
    [{ accountId: '1', data: {} }, 'accountId must be an integer from 1'],
    [{ accountId: 1.5, data: {} }, 'accountId must be an integer from 1'],
    [{ accountId: 0, data: {} }, 'accountId must be an integer from 1'],
    [{ accountId: 2 ** 53, data: {} }, 'accountId must be an integer from 1'],
    [{ accountId: 1, data: {}, idempotencykey: 'k' }, 'there is no field "idempotencykey"'],
    [{ accountId: 1, data: {}, valueOf: 'k' }, 'there is no field "valueOf"'],
    [{ accountId: 1, data: {}, id: '' }, 'id must be 1 to 64 of A-Z'],
    [{ accountId: 1, data: {}, id: 'a.b' }, 'id must be 1 to 64 of A-Z'],
    [{ accountId: 1, data: {}, id: 'a\n' }, 'id must be 1 to 64 of A-Z'],
    [{ accountId: 1, data: {}, id: 'ä' }, 'id must be 1 to 64 of A-Z'],
    [{ accountId: 1, data: {}, id: 'a'.repeat(65) }, 'id must be 1 to 64 of A-Z'],
    [{ accountId: 1, data: {}, id: null }, 'id must be 1 to 64 of A-Z'],
    [
      { accountId: 1, data: {}, idempotencyKey: '' },
      'idempotencyKey must be a string of 1 to 255 characters',
    ],
    [
      { accountId: 1, data: {}, idempotencyKey: 7 },
      'idempotencyKey must be a string of 1 to 255 characters',
    ],
    [
      { accountId: 1, data: {}, idempotencyKey: 'k'.repeat(256) },
      'idempotencyKey must be a string of 1 to 255 characters',
    ],
    [
      { accountId: 1, data: {}, idempotencyKey: '\ud800' },
      'idempotencyKey must be a string of 1 to 255 characters',
    ],
  ])('rejects the message %j with a TypeError: %s', async (message, what) => {
    const { publish, messages } = fixture();
    await expect((publish as Untyped)('Contact.Added', message)).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining(what),
    });
    expect(messages).toEqual([]);
  });

  it('rejects with webhooks_missing if webhooks are not configured', async () => {
    const message: EventMessage = { accountId: 1, data: {} };
    await expect(noEvents.publish('Contact.Added', message)).rejects.toMatchObject({
      name: 'ConfigError',
      code: 'webhooks_missing',
      message: expect.stringContaining('webhooks: { worker: inProcessWorker() }'),
    });
  });
});
