import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { dereference, findMismatch } from '../support/clients/json-schema.ts';
import {
  type ActualResponse,
  expectDescribed,
  openapiOf,
} from '../support/clients/public-documents.ts';
import {
  callsOf,
  NEW_WEBHOOK,
  OPERATIONS,
  RECEIVER_URL,
} from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const delivery = handDelivery();

/** The path in the notation of the document. */
function template(below: string): string {
  return `/webhooks/{id}${below.replace('msg_x', '{delivery}')}`;
}

inEveryCell(
  'the OpenAPI document of the webhook routes',
  (test) => {
    test('states scope, parameters and errors of each route', async (app) => {
      const { paths, components } = await openapiOf(app);
      expect(components.securitySchemes['bearer']?.scheme).toBe('bearer');
      const described = Object.entries(paths).filter(
        ([path]) => path.startsWith('/webhooks') && path !== '/webhooks/event-types',
      );
      const operations = described.flatMap(([path, each]) =>
        Object.entries(each).map(([method, operation]) => ({ path, method, operation })),
      );
      expect(operations).toHaveLength(OPERATIONS.length + 2);
      for (const { path, method, operation } of operations) {
        expect(operation.security).toEqual([{ bearer: ['user'] }]);
        const named = (where: string) =>
          operation.parameters?.flatMap(({ name, in: at }) => (at === where ? [name] : []));
        expect(named('path')).toEqual([...path.matchAll(/{(\w+)}/g)].map(([, name]) => name));
        expect(named('query')).toContain('account_id');
        const { responses } = operation;
        expect(responses['401']?.description).toBe('invalid_token');
        expect(responses['403']?.description).toBe('access_denied, insufficient_scope');
        expect(responses['404'] !== undefined).toBe(path.includes('{'));
        expect(responses['409'] !== undefined).toBe(`${method} ${path}` === 'post /webhooks');
      }
      // The event types belong to no account.
      const types = paths['/webhooks/event-types']?.['get'];
      expect(types).toMatchObject({ security: [{ bearer: ['user'] }] });
      expect(types?.parameters).toBeUndefined();
      expect(paths['/token']?.['post']?.security).toEqual([]);
    });

    test('describes the actual responses', async (app) => {
      const document = await openapiOf(app);
      for (const response of await actualResponses(app)) expectDescribed(document, response);
    });

    test('has schemas that accept right request bodies and reject wrong ones', async (app) => {
      const document = await openapiOf(app);
      const mismatch = (path: string, method: string, body: unknown) => {
        const { content } = document.paths[path]?.[method]?.requestBody ?? {};
        expect(Object.keys(content ?? {})).toEqual(['application/json']);
        return findMismatch(content?.['application/json']?.schema ?? {}, body, document);
      };
      const register = (fields: object) =>
        mismatch('/webhooks', 'post', { ...NEW_WEBHOOK, ...fields });
      expect(register({})).toBeNull();
      expect(register({ rate_limit: 10_000, rate_limit_period: 'minute' })).toBeNull();
      for (const wrong of [
        { event: 'Contact.Deleted' },
        { url: '' },
        { url: 'x'.repeat(2084) },
        { rate_limit: 0 },
        { rate_limit: 10_001 },
        { rate_limit: '50' },
        { rate_limit: null },
        { rate_limit_period: 'hour' },
        { uri: RECEIVER_URL },
      ]) {
        expect(register(wrong), JSON.stringify(wrong)).not.toBeNull();
      }
      const formatOf = (path: string, field: string) =>
        dereference(
          document,
          document.paths[path]?.['post']?.requestBody?.content?.['application/json']?.schema,
        ).properties?.[field]?.format;
      expect(formatOf('/webhooks', 'url')).toBe('iri');
      expect(formatOf('/webhooks/{id}/recover', 'since')).toBe('date-time');
      expect(mismatch('/webhooks/{id}', 'patch', {})).toBeNull();
      expect(mismatch('/webhooks/{id}', 'patch', { event: 'Contact.Added' })).not.toBeNull();
      expect(mismatch('/webhooks/{id}/recover', 'post', {})).not.toBeNull();
    });
  },
  { auth: { webhooks: { worker: delivery, maxPerAccount: 1 } } },
);

/** Responses of each kind for every operation. */
async function actualResponses(app: TestApp): Promise<readonly ActualResponse[]> {
  const calls = await callsOf(app);
  const weak = await callsOf(app, 'ada', { scopes: 'admin' });
  const registered = await calls.send('POST', '/webhooks', NEW_WEBHOOK);
  const { id } = JSON.parse(registered.body);
  const { id: message } = await app.auth.events.publish('Contact.Added', {
    accountId: 1,
    data: {},
  });
  await delivery.tryNext({ kind: 'retry', delayMs: 5000 }, { status: null, error: 'timeout' });
  const responses: ActualResponse[] = [['POST', '/webhooks', registered]];
  for (const [method, path, body] of [
    ['POST', '/webhooks', NEW_WEBHOOK],
    ['GET', '/webhooks'],
  ] as const) {
    for (const sender of [calls, weak]) {
      responses.push([method, path, await sender.send(method, path, body)]);
    }
    responses.push([method, path, await app.send({ method, path })]);
    responses.push([method, path, await calls.send(method, `${path}?account_id=9`, body)]);
    responses.push([method, path, await calls.send(method, `${path}?account_id=x`, body)]);
  }
  // The removal of the webhook comes last.
  for (const [method, below, body] of OPERATIONS.toSorted(([a], [b]) => removes(a) - removes(b))) {
    const path = template(below);
    const real = below.replace('msg_x', message);
    for (const sender of [calls, weak]) {
      responses.push([method, path, await sender.send(method, `/webhooks/${id}${real}`, body)]);
    }
    responses.push([method, path, await calls.send(method, `/webhooks/wh_0${below}`, body)]);
    responses.push([method, path, await calls.send(method, `/webhooks/wh_0${below}`, { x: 1 })]);
  }
  return responses;
}

function removes(method: string): number {
  return method === 'DELETE' ? 1 : 0;
}
