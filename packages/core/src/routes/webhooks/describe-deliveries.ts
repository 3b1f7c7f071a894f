import { SIGNING_SECRETS_KEPT } from '../../storage/webhook-store.ts';
import { PING_EVENT, WEBHOOK_EVENTS, type WebhookEventName } from '../../webhook-events.ts';
import { envelopeSchema } from '../../webhooks/publishing/envelope-schema.ts';
import { messageId } from '../../webhooks/publishing/message-id.ts';
import type { JsonSchemas } from '../json-schema.ts';

/** HMAC-SHA256 in base64: 32 bytes. */
const SIGNATURE = 'v1,[A-Za-z0-9+/]{43}=';

/** Headers of every delivery besides `content-type`, which OpenAPI has with the body. */
const HEADERS: Readonly<
  Record<
    string,
    { readonly description: string; readonly schema: (schemas: JsonSchemas) => object }
  >
> = {
  'webhook-id': {
    description: 'Names the event: the same at every attempt, and whenever it is sent again.',
    schema: (schemas) => schemas.of(messageId),
  },
  'webhook-timestamp': {
    description: 'When this attempt began, in seconds since 1970.',
    schema: () => ({ type: 'integer', minimum: 0 }),
  },
  'webhook-signature': {
    description:
      'HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each secret that signs.',
    schema: () => ({
      type: 'string',
      pattern: `^${SIGNATURE}( ${SIGNATURE}){0,${SIGNING_SECRETS_KEPT - 1}}$`,
    }),
  },
  'user-agent': {
    description: '`Latchhook/` and a version.',
    schema: () => ({ type: 'string' }),
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds or a date: the next attempt comes no sooner, if that is within a day.',
    schema: { type: 'string' },
  },
};

/** What each answer of a receiver means. */
const ANSWERS: Readonly<
  Record<string, { readonly description: string; readonly headers?: object }>
> = {
  '2XX': { description: 'It has arrived.' },
  '410': { description: 'No more is wanted: the webhook is disabled.' },
  '429': { description: 'Too much: tried again in a minute or later.', headers: RETRY_AFTER },
  default: {
    description: 'It failed, as a redirect does, which is not followed: tried again later.',
    headers: RETRY_AFTER,
  },
};

function components(schemas: JsonSchemas): object {
  return {
    parameters: Object.fromEntries(
      Object.entries(HEADERS).map(([name, { description, schema }]) => [
        name,
        { name, in: 'header', required: true, description, schema: schema(schemas) },
      ]),
    ),
    responses: Object.fromEntries(
      Object.entries(ANSWERS).map(([status, answer]) => [componentOf(status), answer]),
    ),
  };
}

/** What the description has of deliveries: an entry for each event, and the components that these refer to. */
export function describeDeliveries(schemas: JsonSchemas): {
  readonly webhooks: object;
  readonly components: object;
} {
  const types = [...WEBHOOK_EVENTS, PING_EVENT] as const;
  return {
    webhooks: Object.fromEntries(types.map((type) => [type, { post: delivery(type, schemas) }])),
    components: components(schemas),
  };
}

function delivery(type: WebhookEventName | typeof PING_EVENT, schemas: JsonSchemas): object {
  return {
    operationId: `deliver${type.replace('.', '')}`,
    summary: type === PING_EVENT ? 'Try a receiver' : `${type} happened`,
    tags: ['Webhooks'],
    // The signature proves who sends.
    security: [],
    parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.of(envelopeSchema(type)) } },
    },
    responses: Object.fromEntries(
      Object.keys(ANSWERS).map((status) => [
        status,
        { $ref: `#/components/responses/${componentOf(status)}` },
      ]),
    ),
  };
}

function componentOf(status: string): string {
  return `Receiver-${status}`;
}
