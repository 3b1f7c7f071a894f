import {
  type BuiltInEvents,
  createAuth,
  type EventData,
  type WebhookEventName,
} from '@latchhook/core';
import type { WebhookType } from '@latchhook/receiver';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const options = {
  issuer: 'https://api.example.com',
  users: { findByUsername: async () => null, findById: async () => null },
};

/** Without the option `events`. */
const createDefaultApp = () => createAuth({ ...options, webhooks: { worker: false } });

const createAppWithEvents = () =>
  createAuth({
    ...options,
    webhooks: {
      worker: false,
      events: {
        'invoice.paid': { schema: v.object({ cents: v.number(), at: v.optional(v.date()) }) },
        'invoice.sent': { schema: z.object({ to: z.enum(['buyer', 'seller']) }) },
        'invoice.lost': { description: 'Nobody knows where it is.' },
      },
    },
  });

// The compiler checks these types: a mistake fails `tsc -p test`.
describe('the types of the events of an app', () => {
  it('allow exactly the events that the app defines', () => {
    const uses = async ({ events, webhooks }: ReturnType<typeof createAppWithEvents>) => {
      expectTypeOf(events.names).toEqualTypeOf<
        readonly ('invoice.paid' | 'invoice.sent' | 'invoice.lost')[]
      >();
      const url = 'https://receiver.example';
      await webhooks.create(1, { event: 'invoice.paid', url });
      // @ts-expect-error not an event of this app
      await webhooks.create(1, { event: 'Contact.Added', url });
      // @ts-expect-error not an event of this app
      await events.publish('Contact.Added', { accountId: 1, data: {} });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it('require data of the input type of the schema of the event', () => {
    const uses = async ({ events }: ReturnType<typeof createAppWithEvents>) => {
      await events.publish('invoice.paid', { accountId: 1, data: { cents: 1 } });
      await events.publish('invoice.sent', { accountId: 1, data: { to: 'buyer' } });
      // @ts-expect-error another type
      await events.publish('invoice.paid', { accountId: 1, data: { cents: '1' } });
      // @ts-expect-error a field that is missing
      await events.publish('invoice.paid', { accountId: 1, data: {} });
      // @ts-expect-error a field that the schema does not know
      await events.publish('invoice.paid', { accountId: 1, data: { cents: 1, dollars: 1 } });
      // @ts-expect-error another value
      await events.publish('invoice.sent', { accountId: 1, data: { to: 'nobody' } });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it('allow any object as data of an event without a schema', () => {
    expectTypeOf<EventData<BuiltInEvents, 'Account.Deleted'>>().toEqualTypeOf<object>();
    const uses = async ({ events }: ReturnType<typeof createAppWithEvents>) => {
      await events.publish('invoice.lost', { accountId: 1, data: { whatever: [1, null] } });
      // @ts-expect-error no object
      await events.publish('invoice.lost', { accountId: 1, data: 'somewhere' });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it('do not allow a security event in publish()', () => {
    const makes = () =>
      createAuth({
        ...options,
        webhooks: {
          worker: false,
          events: { 'session.stolen': { securityEvent: 'session.reused' }, 'invoice.paid': {} },
        },
      });
    const uses = async ({ events, webhooks }: ReturnType<typeof makes>) => {
      await webhooks.create(1, { event: 'session.stolen', url: 'https://receiver.example' });
      expectTypeOf(events.names).toEqualTypeOf<readonly 'invoice.paid'[]>();
      // @ts-expect-error the app does not publish it
      await events.publish('session.stolen', { accountId: 1, data: {} });
    };
    expectTypeOf(uses).toBeFunction();
    const other = () =>
      createAuth({
        ...options,
        // @ts-expect-error about no account
        webhooks: { worker: false, events: { 'login.failed': { securityEvent: 'login.failed' } } },
      });
    expectTypeOf(other).toBeFunction();
    const schema = v.object({});
    const both = () =>
      createAuth({
        ...options,
        // @ts-expect-error its data is known
        webhooks: { worker: false, events: { theft: { securityEvent: 'session.reused', schema } } },
      });
    expectTypeOf(both).toBeFunction();
  });

  it('do not allow a schema whose input is not an object', () => {
    const makes = () =>
      createAuth({
        ...options,
        // @ts-expect-error no object
        webhooks: { worker: false, events: { 'invoice.paid': { schema: v.string() } } },
      });
    expectTypeOf(makes).toBeFunction();
  });
});

describe('the types of the events of an app that defines no events', () => {
  it('allow exactly the built-in events, with any object as data', () => {
    const uses = async ({ events }: ReturnType<typeof createDefaultApp>) => {
      expectTypeOf(events.names).toEqualTypeOf<readonly WebhookEventName[]>();
      await events.publish('Contact.Added', { accountId: 1, data: { contactId: 'c_1' } });
      // @ts-expect-error not an event
      await events.publish('Contact.Add', { accountId: 1, data: {} });
      // @ts-expect-error an event that apps cannot publish
      await events.publish('Webhook.Ping', { accountId: 1, data: {} });
    };
    expectTypeOf(uses).toBeFunction();
  });

  it('equal the types of @latchhook/receiver, except for Webhook.Ping', () => {
    expectTypeOf<WebhookType>().toEqualTypeOf<WebhookEventName | 'Webhook.Ping'>();
  });
});
