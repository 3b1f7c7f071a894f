import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_EVENTS } from '../webhook-events.ts';
import { resolveEvents } from './resolve-events.ts';

const manyEvents = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`event.${i}`, {}]));

describe('the option webhooks.events', () => {
  it('defaults to WEBHOOK_EVENTS', () => {
    expect([...resolveEvents(undefined).keys()]).toEqual([...WEBHOOK_EVENTS]);
  });

  it('keeps the definition of each event, in order', () => {
    const paid = { schema: v.object({}), description: 'Paid.', example: { cents: 1 } };
    const events = resolveEvents({ 'invoice.paid': paid, 'invoice/sent': {} });
    expect([...events]).toEqual([
      ['invoice.paid', paid],
      ['invoice/sent', {}],
    ]);
  });

  it.each([
    ['must be an object of events by name', null],
    ['must be an object of events by name', ['invoice.paid']],
    ['must name 1 to 1000 events, not 0', {}],
    ['must name 1 to 1000 events, not 1001', manyEvents(1_001)],
    ['"Webhook.Ping" is the event of pings', { 'Webhook.Ping': {} }],
    ['"invoice paid" must be 1 to 128 of', { 'invoice paid': {} }],
    ['must be an object of events by name', new Map([['invoice.paid', {}]])],
    ['".paid" must be 1 to 128 of', { '.paid': {} }],
    ['"" must be 1 to 128 of', { '': {} }],
    ['webhooks.events["invoice.paid"] takes an object', { 'invoice.paid': null }],
    ['knows no "schemas"', { 'invoice.paid': { schemas: {} } }],
    ['"invoice.paid": schema must be', { 'invoice.paid': { schema: { type: 'object' } } }],
    ['"invoice.paid": schema must be', { 'invoice.paid': { schema: null } }],
    ['"invoice.paid": description must be', { 'invoice.paid': { description: 1 } }],
    ['"invoice.paid": example must be', { 'invoice.paid': { example: [] } }],
    [
      '"a": securityEvent must be one of login.succeeded',
      { a: { securityEvent: 'delivery.dead' } },
    ],
    ['any other is about no account', { a: { securityEvent: 'login.failed' } }],
    ['"a": securityEvent must be one of', { a: { securityEvent: 'constructor' } }],
    [
      '"a" takes no schema beside securityEvent',
      { a: { securityEvent: 'session.reused', schema: v.object({}) } },
    ],
    ['"invoice.paid": example must be', { 'invoice.paid': { example: { cents: 1n } } }],
  ])('is rejected: %s', (message, events) => {
    expect(() => resolveEvents(events)).toThrow(message);
  });
});
