import * as v from 'valibot';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WEBHOOK_EVENTS } from '../webhook-events.ts';
import type { EventType } from '../webhooks/events/event-types.ts';
import { resolveEvents } from './resolve-events.ts';

const invoice = v.object({ lines: v.array(v.object({ sku: v.string() })), cents: v.number() });
const client = { client_address: null, user_agent: null };
const failing = v.pipe(
  v.object({}),
  v.check(() => {
    throw new Error('the table of prices is gone');
  }),
);

const manyEvents = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`event.${i}`, {}]));

describe('the option webhooks.events', () => {
  it('defaults to WEBHOOK_EVENTS', () => {
    expect([...resolveEvents(undefined).keys()]).toEqual([...WEBHOOK_EVENTS]);
  });

  it('keeps the definition of each event, in order', () => {
    const paid = {
      schema: v.object({ cents: v.number() }),
      description: 'Paid.',
      example: { cents: 1 },
    };
    const events = resolveEvents({ 'invoice.paid': paid, 'invoice/sent': {} });
    expect([...events]).toEqual([
      ['invoice.paid', paid],
      ['invoice/sent', {}],
    ]);
  });

  it('accepts frozen definitions, getters of a class, and the names of inherited members', () => {
    class Paid {
      get schema() {
        return invoice;
      }
      get description() {
        return 'Paid.';
      }
    }
    const events = resolveEvents(
      Object.freeze({ constructor: Object.freeze({}), toString: new Paid() }),
    );
    expect([...events]).toEqual([
      ['constructor', {}],
      ['toString', { schema: invoice, description: 'Paid.' }],
    ]);
  });

  it.each<[mistake: string, message: string, events: unknown]>([
    ['it is null', 'must be an object of events by name', null],
    ['it is a list', 'must be an object of events by name', ['invoice.paid']],
    ['it is empty', 'must name 1 to 1000 events, not 0', {}],
    ['it has 1001 events', 'must name 1 to 1000 events, not 1001', manyEvents(1_001)],
    ['it has the event of pings', '"Webhook.Ping" is the event of pings', { 'Webhook.Ping': {} }],
    ['a name has a space', '"invoice paid" must be 1 to 128 of', { 'invoice paid': {} }],
    ['it is a Map', 'must be an object of events by name', new Map([['invoice.paid', {}]])],
    ['a name begins with a dot', '".paid" must be 1 to 128 of', { '.paid': {} }],
    ['a name is empty', '"" must be 1 to 128 of', { '': {} }],
    [
      'an event is null',
      'webhooks.events["invoice.paid"] takes an object',
      { 'invoice.paid': null },
    ],
    ['an event has an unknown field', 'knows no "schemas"', { 'invoice.paid': { schemas: {} } }],
    [
      'a schema is a JSON Schema',
      '"invoice.paid": schema must be',
      { 'invoice.paid': { schema: { type: 'object' } } },
    ],
    ['a schema is null', '"invoice.paid": schema must be', { 'invoice.paid': { schema: null } }],
    [
      'a description is no text',
      '"invoice.paid": description must be',
      { 'invoice.paid': { description: 1 } },
    ],
    [
      'an example is a list',
      '"invoice.paid": example must be',
      { 'invoice.paid': { example: [] } },
    ],
    [
      'a securityEvent is an event of deliveries',
      '"a": securityEvent must be one of login.succeeded',
      { a: { securityEvent: 'delivery.dead' } },
    ],
    [
      'a securityEvent is about no account',
      'any other is about no account',
      { a: { securityEvent: 'login.failed' } },
    ],
    [
      'a securityEvent is the name of an inherited member',
      '"a": securityEvent must be one of',
      { a: { securityEvent: 'constructor' } },
    ],
    [
      'an event has both a schema and a securityEvent',
      '"a" takes no schema beside securityEvent',
      { a: { securityEvent: 'session.reused', schema: v.object({}) } },
    ],
    [
      'an example is null',
      '"invoice.paid": example must be',
      { 'invoice.paid': { example: null } },
    ],
    [
      'an example is JSON text',
      '"invoice.paid": example must be',
      { 'invoice.paid': { example: '{}' } },
    ],
    [
      'an example cannot be sent as JSON',
      '"invoice.paid": example cannot be sent as JSON: cents is a BigInt',
      { 'invoice.paid': { example: { cents: 1n } } },
    ],
    [
      'an example does not match its schema',
      'webhooks.events "invoice.paid": the schema rejects example.lines.0.sku, example.cents',
      { 'invoice.paid': { schema: invoice, example: { lines: [{ sku: 7 }], cents: 's3cret' } } },
    ],
    [
      'an example does not match its security event',
      '"theft": the schema rejects example.session_id',
      { theft: { securityEvent: 'session.reused', example: { ...client, user_id: 'ada' } } },
    ],
    [
      'a schema throws',
      '"invoice.paid": the table of prices is gone',
      { 'invoice.paid': { schema: failing, example: {} } },
    ],
  ])('is rejected if %s', (_, message, events) => {
    expect(() => resolveEvents(events)).toThrow(message);
  });
});

describe('the example of an event', () => {
  const exampleOf = (event: EventType) => resolveEvents({ event }).get('event')?.example;

  it('becomes what receivers get: the output of the schema, as JSON', () => {
    const schema = v.object({
      at: v.date(),
      cents: v.pipe(v.string(), v.transform(Number)),
      currency: v.optional(v.string(), 'EUR'),
    });
    const example = { at: new Date(0), cents: '4200', note: 'no part of the schema' };
    expect(exampleOf({ schema, example })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      cents: 4200,
      currency: 'EUR',
    });
  });

  it('must match the data of the event if that is a security event', () => {
    const example = { user_id: 'ada', session_id: 's1', ...client };
    expect(exampleOf({ securityEvent: 'session.reused', example })).toEqual(example);
  });

  it('is not checked by a schema that returns a promise, and a rejection of the promise is handled', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const schema = v.pipeAsync(
      v.object({}),
      v.checkAsync(() => Promise.reject(new Error('no database yet'))),
    );
    expect(exampleOf({ schema, example: { cents: 1 } })).toEqual({ cents: 1 });
    // By then, Node has reported a rejection that nobody handles.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('is a copy, so that a later change by the app has no effect', () => {
    const example = { cents: 1 };
    const resolved = exampleOf({ example });
    example.cents = 2;
    expect(resolved).toEqual({ cents: 1 });
  });
});
