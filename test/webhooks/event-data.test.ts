import type {
  Auth,
  DeclaredEvent,
  EventData,
  EventMessage,
  WebhookEventData,
  WebhookEventName,
  WebhookOptions,
} from '@latchhook/core';
import type { WebhookType } from '@latchhook/receiver';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';

// An app declares like this what it publishes. It holds for all tests, which are one program to the compiler.
declare module '@latchhook/core' {
  interface WebhookEventData {
    'Account.Confirmed': { readonly confirmedBy: 'email' | 'operator' };
  }
}

type Publish = Auth['events']['publish'];

// The compiler checks these: a mistake fails `tsc -p test`.
describe('the data of an event', () => {
  it('is what the app has declared', () => {
    expectTypeOf<keyof WebhookEventData>().toEqualTypeOf<'Webhook.Ping' | 'Account.Confirmed'>();
    expectTypeOf<EventData<'Account.Confirmed'>>().toEqualTypeOf<{
      readonly confirmedBy: 'email' | 'operator';
    }>();
  });

  it('is any object where nothing was declared', () => {
    expectTypeOf<EventMessage<'Account.Deleted'>['data']>().toEqualTypeOf<object>();
  });

  it('is what publishing takes, and nothing else', () => {
    const publishing = (publish: Publish) => [
      publish('Account.Confirmed', { accountId: 1, data: { confirmedBy: 'email' } }),
      // @ts-expect-error another value
      publish('Account.Confirmed', { accountId: 1, data: { confirmedBy: 'nobody' } }),
      // @ts-expect-error a field that is not declared
      publish('Account.Confirmed', { accountId: 1, data: { confirmedBy: 'email', at: 1 } }),
      // @ts-expect-error a field that is missing
      publish('Account.Confirmed', { accountId: 1, data: {} }),
      publish('Account.Deleted', { accountId: 1, data: { whatever: [1, null] } }),
    ];
    expectTypeOf(publishing).returns.items.resolves.toEqualTypeOf<{
      readonly id: string;
      readonly deliveries: number;
    }>();
  });

  it('is what the schema of its event makes', () => {
    const confirmed = v.object({ confirmedBy: v.picklist(['email', 'operator']) });
    const schemas: WebhookOptions['schemas'][] = [
      { 'Account.Confirmed': confirmed, 'Account.Deleted': v.record(v.string(), v.unknown()) },
      // @ts-expect-error another value
      { 'Account.Confirmed': v.object({ confirmedBy: v.string() }) },
      // @ts-expect-error a field that is missing
      { 'Account.Confirmed': v.object({}) },
      // @ts-expect-error no object
      { 'Account.Deleted': v.string() },
    ];
    expectTypeOf(schemas).toBeArray();
  });

  it('belongs to one of the events', () => {
    expectTypeOf<Parameters<Publish>[0]>().toEqualTypeOf<WebhookEventName>();
    const publishing = (publish: Publish) => [
      // @ts-expect-error not an event
      publish('Contact.Add', { accountId: 1, data: {} }),
      // @ts-expect-error an event that apps cannot publish
      publish('Webhook.Ping', { accountId: 1, data: {} }),
    ];
    expectTypeOf(publishing).toBeFunction();
  });

  it('may not be declared for an event that does not exist: nothing can be published then', () => {
    expectTypeOf<DeclaredEvent<'Contact.Added'>>().toEqualTypeOf<'Contact.Added'>();
    interface Misspelt {
      readonly 'Contact.Added': object;
      readonly 'Contact.Taged': object;
    }
    expectTypeOf<
      DeclaredEvent<'Contact.Added', Misspelt>
    >().toEqualTypeOf<'WebhookEventData declares an event that does not exist: Contact.Taged'>();
  });

  it('may be passed on by a function of the app', () => {
    const forward = <Name extends WebhookEventName>(
      publish: Publish,
      event: Name,
      data: EventData<Name>,
    ) => publish(event, { accountId: 1, data });
    expectTypeOf(forward).toBeFunction();
  });

  it('is received under the name that it was published under', () => {
    expectTypeOf<WebhookType>().toEqualTypeOf<WebhookEventName | 'Webhook.Ping'>();
  });
});
