import { WEBHOOK_EVENTS } from '@latchhook/core';
import { SIGNING_SECRETS_KEPT } from '@latchhook/core/storage';
import type { ReceivedRequest } from '@latchhook/testkit';
import { expect, it } from 'vitest';
import { startSendingApp } from '../support/apps/sending-app.ts';
import { findMismatch, type JsonSchema, resolveRef } from '../support/clients/json-schema.ts';
import { type OpenapiDocument, openapiOf } from '../support/clients/public-documents.ts';
import { bodyOf, callsOf, register } from '../support/clients/webhook-calls.ts';

/** What HTTP itself sends with every request, and what OpenAPI has with the body. */
const OF_HTTP = ['connection', 'content-length', 'content-type', 'host'];

interface Parameter {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** The headers and the body that are described for a type. */
function operationOf(document: OpenapiDocument, type: string) {
  const operation = document.webhooks?.[type]?.['post'];
  if (operation === undefined) throw new Error(`${type} is not described`);
  const { parameters, requestBody } = operation;
  return {
    headers: parameters.map(({ $ref }) => resolveRef(document, $ref) as Parameter),
    body: requestBody.content?.['application/json']?.schema ?? {},
  };
}

function expectDelivered(
  document: OpenapiDocument,
  { method, headers, body }: ReceivedRequest,
): void {
  expect(method).toBe('POST');
  expect(headers['content-type']).toBe('application/json');
  const event = JSON.parse(body.toString());
  const described = operationOf(document, event.type);
  expect(findMismatch(described.body, event, document)).toBeNull();
  const sentNames = Object.keys(headers).filter((name) => !OF_HTTP.includes(name));
  expect(sentNames.sort()).toEqual(described.headers.map(({ name }) => name).sort());
  for (const { name, schema } of described.headers) {
    const value = schema.type === 'integer' ? Number(headers[name]) : headers[name];
    expect(findMismatch(schema, value, document, name)).toBeNull();
  }
  expect(headers['webhook-id']).toBe(event.id);
}

it('OpenAPI describes the requests to receivers for every event and the ping, with one and ten secrets', async () => {
  const { app, receiver } = await startSendingApp();
  const document = await openapiOf(app);
  const calls = await callsOf(app);
  for (const event of WEBHOOK_EVENTS) {
    await register(calls, { event, url: receiver.url });
    await app.auth.events.publish(event, { accountId: 1, data: { name: 'Zoë' } });
  }
  const { id } = await register(calls, { url: receiver.url });
  // More rotations than the ten secrets that are kept.
  for (let i = 0; i < 11; i += 1) {
    bodyOf(await calls.send('POST', `/webhooks/${id}/secret`), 200);
  }
  bodyOf(await calls.send('POST', `/webhooks/${id}/ping`), 202);
  const requests = await receiver.waitFor(WEBHOOK_EVENTS.length + 1);
  for (const request of requests) expectDelivered(document, request);
  const types = requests.map(({ body }) => JSON.parse(body.toString()).type);
  expect(types.sort()).toEqual(Object.keys(document.webhooks ?? {}).sort());
  const signatures = requests.map(
    ({ headers }) => String(headers['webhook-signature']).split(' ').length,
  );
  expect(new Set(signatures)).toEqual(new Set([1, SIGNING_SECRETS_KEPT]));
});
