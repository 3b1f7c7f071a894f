import * as v from 'valibot';
import type { AccountId, AccountIdKind } from '../../account-id.ts';
import { named } from '../../schema/named.ts';
import { withJsonSchema } from '../../schema/with-json-schema.ts';
import { SIGNING_SECRETS_KEPT } from '../../storage/webhook-store.ts';
import { PING_EVENT } from '../../webhook-events.ts';
import { dataSchema } from '../../webhooks/events/data-schema.ts';
import type { EventType } from '../../webhooks/events/event-types.ts';
import { envelopeSchemas } from '../../webhooks/publishing/envelope-schema.ts';
import { messageId } from '../../webhooks/publishing/message-id.ts';
import type { JsonSchemas } from '../json-schema.ts';

/** The events that an app publishes. */
export interface PublishedEvents {
  /** By name. */
  readonly eventTypes: ReadonlyMap<string, EventType>;
  readonly accountIdKind: AccountIdKind;
}

const PING: EventType = {};

const EXAMPLE_ACCOUNT: Readonly<Record<AccountIdKind, AccountId>> = {
  integer: 1,
  string: '019ac0de-7f3a-7c52-9d1e-0b6a4c8e2f10',
};

/** HMAC-SHA256 in base64: 32 bytes. */
const SIGNATURE = 'v1,[A-Za-z0-9+/]{43}=';

/** Headers of every delivery except `content-type`, which OpenAPI describes with the body. */
const HEADERS: Readonly<
  Record<
    string,
    { readonly description: string; readonly schema: (schemas: JsonSchemas) => object }
  >
> = {
  'webhook-id': {
    description: 'The id of the event: the same at every attempt, and if the event is sent again.',
    schema: (schemas) => schemas.of(messageId),
  },
  'webhook-timestamp': {
    description: 'When this attempt began, in seconds since 1970.',
    schema: () => ({ type: 'integer', minimum: 0 }),
  },
  'webhook-signature': {
    description:
      'HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the bytes of the body with dots between them, in base64: one for each signing secret.',
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
    description: 'Seconds or a date: within a day, the next attempt starts no sooner.',
    schema: { type: 'string' },
  },
};

/** The effect of each response of a receiver. */
const RECEIVER_RESPONSES: Readonly<
  Record<string, { readonly description: string; readonly headers?: object }>
> = {
  '2XX': { description: 'The event has arrived.' },
  '410': { description: 'The receiver wants no more events: the webhook is disabled.' },
  '429': {
    description: 'The receiver is overloaded: the next attempt follows in a minute or later.',
    headers: RETRY_AFTER,
  },
  default: {
    description:
      'The attempt failed and is repeated later. A redirect is a failure too: it is not followed.',
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
      Object.entries(RECEIVER_RESPONSES).map(([status, response]) => [
        componentOf(status),
        response,
      ]),
    ),
  };
}

/** The part of the description about deliveries: an entry for each event, and the components of these entries. */
export function describeDeliveries(
  { eventTypes, accountIdKind }: PublishedEvents,
  schemas: JsonSchemas,
): { readonly webhooks: object; readonly components: object } {
  const titles = new Set<string>();
  const operations = [...eventTypes, [PING_EVENT, PING] as const].map(([name, type]) => {
    const title = titleOf(name, titles);
    titles.add(title);
    return [name, { post: deliveryOperation({ name, type, title, accountIdKind }, schemas) }];
  });
  return { webhooks: Object.fromEntries(operations), components: components(schemas) };
}

/** An identifier for generated code: `ContactAdded`. */
function titleOf(name: string, usedTitles: ReadonlySet<string>): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const title = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  if (!usedTitles.has(title)) return title;
  for (let i = 2; ; i += 1) {
    if (!usedTitles.has(`${title}${i}`)) return `${title}${i}`;
  }
}

interface DeliveredEvent {
  readonly name: string;
  readonly type: EventType;
  readonly title: string;
  readonly accountIdKind: AccountIdKind;
}

function deliveryOperation(
  { name, type, title, accountIdKind }: DeliveredEvent,
  schemas: JsonSchemas,
): object {
  const { example } = type;
  const envelope = envelopeSchemas[accountIdKind](name, schemaOfData(name, type));
  const schema = named(`${title}Event`, envelope);
  return {
    operationId: `deliver${title}`,
    summary: name === PING_EVENT ? 'Test a receiver' : `${name} happened`,
    ...(type.description !== undefined && { description: type.description }),
    tags: ['Webhooks'],
    // No credential: the signature proves who sends.
    security: [],
    parameters: Object.keys(HEADERS).map((header) => ({
      $ref: `#/components/parameters/${header}`,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemas.of(schema),
          ...(example !== undefined && {
            example: exampleOf(name, example, EXAMPLE_ACCOUNT[accountIdKind]),
          }),
        },
      },
    },
    responses: Object.fromEntries(
      Object.keys(RECEIVER_RESPONSES).map((status) => [
        status,
        { $ref: `#/components/responses/${componentOf(status)}` },
      ]),
    ),
  };
}

function schemaOfData(name: string, type: EventType): v.GenericSchema {
  if (name === PING_EVENT) return v.strictObject({});
  const anyObject = v.record(v.string(), v.unknown());
  if (!type.schema && !type.securityEvent) return anyObject;
  const jsonSchema = dataSchema(name, type);
  // With an `$id`, references resolve within the schema, and not within the whole document.
  const id = JSON.stringify(jsonSchema).includes('"$ref":')
    ? { $id: `urn:event:${encodeURIComponent(name)}` }
    : {};
  return withJsonSchema({ ...id, ...jsonSchema }, anyObject);
}

function exampleOf(name: string, data: object, accountId: AccountId): object {
  const envelope = { id: 'msg_2mN5rXb7vKqJd0Yw1eTzAg', type: name };
  return { ...envelope, timestamp: '2026-11-28T09:30:00.000Z', account_id: accountId, data };
}

function componentOf(status: string): string {
  return `Receiver-${status}`;
}
