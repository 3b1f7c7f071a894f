import type { EventType, StartDeliveryWorker, WebhookOptions } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';
import type { ClaimRequest } from '@latchhook/core/storage';
import * as v from 'valibot';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startTestApp } from '../support/apps/test-app.ts';
import { type OpenapiDocument, openapiOf } from '../support/clients/public-documents.ts';
import { get } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  type ListBody,
  register,
  type WebhookBody,
  webhookOf,
} from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const paid = v.object({ cents: v.pipe(v.number(), v.minValue(1)) });
const events: Record<string, EventType> = {
  'invoice.paid': {
    schema: paid,
    description: 'An invoice was paid in full.',
    example: { cents: 4200 },
  },
  'invoice.sent': { schema: z.object({ to: z.string(), at: z.coerce.string().optional() }) },
  'invoice.lost': {
    schema: v.object({
      by: v.pipe(v.string(), v.trim()),
      at: v.pipe(v.string(), v.transform(Number)),
    }),
  },
};

let delivery: DeliveryContext | undefined;
const worker: StartDeliveryWorker = (context) => {
  delivery = context;
  return { drain: async () => ({ outcome: 'drained' }), close: async () => {} };
};

/** Cast, because all test apps have the same type. */
const webhooksFor = (own: Readonly<Record<string, EventType>>) =>
  ({ worker, events: own }) as unknown as WebhookOptions;

inEveryCell(
  'webhooks for the events that an app defines',
  (test) => {
    test('can be registered for these events only', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls, { event: 'invoice.paid' });
      expect(await webhookOf(calls, id)).toMatchObject({ event: 'invoice.paid' });
      expect(await webhookOf(calls, id)).not.toHaveProperty('event_removed');
      const rejected = await calls.send('POST', '/webhooks', {
        event: 'Contact.Added',
        url: 'https://receiver.example',
      });
      expect(bodyOf(rejected, 400)).toMatchObject({
        error: 'invalid_request',
        errors: [
          { field: 'event', message: 'must be one of invoice.paid, invoice.sent, invoice.lost' },
        ],
      });
    });

    test('receive the data as parsed by the schema of the event', async (app) => {
      const calls = await callsOf(app);
      await register(calls, { event: 'invoice.sent' });
      const { publish } = app.auth.events as unknown as {
        publish(event: string, message: object): Promise<{ readonly deliveries: number }>;
      };
      const data = { to: 'buyer', at: 7, secret: 'no part of the schema' };
      expect(await publish('invoice.sent', { accountId: 1, data })).toMatchObject({
        deliveries: 1,
      });
      const policy = { ...delivery?.policy, limit: 1, rateMarginMs: 0 } as ClaimRequest;
      const [attempt] = (await delivery?.deliveries.claim(policy))?.attempts ?? [];
      expect(JSON.parse(String(attempt?.body))).toMatchObject({
        type: 'invoice.sent',
        data: { to: 'buyer', at: '7' },
      });
      expect(attempt?.body).not.toContain('no part');
      await expect(publish('invoice.paid', { accountId: 1, data: { cents: 0 } })).rejects.toThrow(
        'the schema of invoice.paid rejects data.cents',
      );
      await expect(publish('Contact.Added', { accountId: 1, data: {} })).rejects.toThrow(
        'there is no event "Contact.Added"; the events are invoice.paid, invoice.sent',
      );
    });

    test('have their event types listed with JSON Schema and example', async (app) => {
      const calls = await callsOf(app);
      const listed = await calls.send('GET', '/webhooks/event-types');
      expect(bodyOf(listed, 200)).toEqual({
        data: [
          {
            object: 'EventType',
            name: 'invoice.paid',
            description: 'An invoice was paid in full.',
            schema: {
              type: 'object',
              properties: { cents: { type: 'number', minimum: 1 } },
              required: ['cents'],
            },
            example: { cents: 4200 },
          },
          {
            object: 'EventType',
            name: 'invoice.sent',
            description: null,
            schema: {
              type: 'object',
              properties: { to: { type: 'string' }, at: { type: 'string' } },
              required: ['to'],
              additionalProperties: false,
            },
            example: null,
          },
          {
            object: 'EventType',
            name: 'invoice.lost',
            description: null,
            schema: {
              type: 'object',
              properties: { by: { type: 'string' }, at: {} },
              required: ['by', 'at'],
            },
            example: null,
          },
        ],
        next_cursor: null,
      });
      expect((await get(app, '/webhooks/event-types')).status).toBe(401);
    });

    test('have their event types described in OpenAPI', async (app) => {
      const { webhooks: described, components }: OpenapiDocument = await openapiOf(app);
      expect(Object.keys(described ?? {})).toEqual([...Object.keys(events), 'Webhook.Ping']);
      expect(described?.['invoice.paid']?.['post']).toMatchObject({
        operationId: 'deliverInvoicePaid',
        description: 'An invoice was paid in full.',
        requestBody: {
          content: {
            'application/json': { example: { type: 'invoice.paid', data: { cents: 4200 } } },
          },
        },
      });
      const { schemas } = components as unknown as { schemas: Record<string, object> };
      expect(schemas['InvoicePaidEvent']).toMatchObject({
        properties: {
          type: { const: 'invoice.paid' },
          data: { properties: { cents: { type: 'number', minimum: 1 } } },
        },
      });
    });

    test('stay after the app has dropped their event, and are marked event_removed', async (app) => {
      const { id } = await register(await callsOf(app), { event: 'invoice.lost' });
      const { 'invoice.lost': _, ...left } = events;
      const later = await startTestApp(app.cell, {
        sharedWith: app,
        wrapStorage: () => app.cellStorage.storage,
        auth: { webhooks: webhooksFor(left) },
      });
      onTestFinished(() => later.stop());
      const calls = await callsOf(later);
      await register(calls, { event: 'invoice.paid' });
      const listed = bodyOf<ListBody<WebhookBody>>(await calls.send('GET', '/webhooks'), 200).data;
      expect(listed).toMatchObject([{ id, event: 'invoice.lost', event_removed: true }, {}]);
      expect(listed[1]).not.toHaveProperty('event_removed');
      expect(await webhookOf(calls, id)).toMatchObject({ event_removed: true });
    });
  },
  { auth: { webhooks: webhooksFor(events) } },
);
