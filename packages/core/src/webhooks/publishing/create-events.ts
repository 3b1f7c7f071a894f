import * as v from 'valibot';
import type { AccountId, AccountIdKind } from '../../account-id.ts';
import { assertAccountId } from '../../account-id-mistakes.ts';
import { type NamesOf, unknownName } from '../../assert-names.ts';
import { ConfigError } from '../../errors.ts';
import { uncheckedFields } from '../../unchecked-fields.ts';
import type { EventType, EventTypes } from '../events/event-types.ts';
import { namesText } from '../events/names-text.ts';
import { schemaOutput } from '../events/standard-schema.ts';
import type { EventMessage, Events, PublishOptions } from './events.ts';
import { messageId, newMessageId } from './message-id.ts';
import type { Publisher } from './publisher.ts';

const MAX_KEY_CHARS = 255;

/** Words with at most two digits each, like most event names. Tokens and keys do not match: they have underscores. */
const MISSPELT_NAME = /^[a-z]{1,20}\d{0,2}(?:[.:/-][a-z]{1,20}\d{0,2}){1,5}$/i;

type AnyMessage = EventMessage<object, AccountId>;

const MESSAGE_FIELDS: NamesOf<AnyMessage> = {
  accountId: true,
  data: true,
  id: true,
  idempotencyKey: true,
};

const PUBLISH_OPTIONS: NamesOf<PublishOptions> = { tx: true };

export interface EventsDeps {
  readonly publishEvent: Publisher['publishEvent'];
  /** By name. */
  readonly types: ReadonlyMap<string, EventType>;
  readonly accountIdKind: AccountIdKind;
}

export function createEvents({
  publishEvent,
  types,
  accountIdKind,
}: EventsDeps): Events<EventTypes, AccountId> {
  const names = Array.from(types)
    .filter(([, { securityEvent }]) => securityEvent === undefined)
    .map(([name]) => name);

  return {
    names,
    async publish(event, message, options) {
      assertEvent(event, types, names);
      assertMessage(message, accountIdKind);
      if (options !== undefined) assertOptions(options);
      const { accountId, id = newMessageId(), idempotencyKey = null } = message;
      const { schema } = types.get(event) ?? {};
      const data = schema ? await schemaOutput(schema, message.data, event) : message.data;
      return publishEvent({ id, event, accountId, data, idempotencyKey }, options?.tx);
    },
  };
}

/** The events of an app that has no webhooks: publishing rejects. */
export const noEvents: Events<EventTypes, AccountId> = {
  names: [],
  publish: () =>
    Promise.reject(
      new ConfigError(
        'webhooks_missing',
        'auth.events.publish needs the option webhooks of createAuth, such as webhooks: { worker: inProcessWorker() }',
      ),
    ),
};

/** Rejects unknown events with a clear message, because the host may not use TypeScript. */
function assertEvent(event: string, types: EventsDeps['types'], names: readonly string[]): void {
  const type = types.get(event);
  if (type?.securityEvent) {
    throw new TypeError(`${event} is published by Latchhook itself, at each ${type.securityEvent}`);
  }
  if (type) return;
  throw new TypeError(`there is no event ${shown(event)}; the events are ${namesText(names)}`);
}

function assertMessage(message: Partial<AnyMessage>, accountIdKind: AccountIdKind): void {
  // Unknown fields are rejected, because a misspelt `idempotencyKey` must not be ignored.
  assertKnown('a message', message, MESSAGE_FIELDS);
  const { accountId, id, idempotencyKey } = uncheckedFields<AnyMessage>(message);
  assertAccountId(accountIdKind, accountId, 'the account that the event happened to');
  if (id !== undefined && !v.is(messageId, id)) {
    throw new TypeError(
      'id must be 1 to 64 of A-Z, a-z, 0-9, _ and -; leave it out for a random one',
    );
  }
  if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
    throw new TypeError(`idempotencyKey must be a string of 1 to ${MAX_KEY_CHARS} characters`);
  }
}

/**
 * Shows a value only if it could be a misspelt event name. Any other value may be data or a secret that must not reach
 * a log.
 */
function shown(event: unknown): string {
  if (event === undefined) return 'undefined';
  if (typeof event !== 'string') return `that is of type ${typeof event}`;
  return MISSPELT_NAME.test(event) ? JSON.stringify(event) : 'that is such a string';
}

function assertKnown(what: string, input: unknown, known: Readonly<Record<string, true>>): void {
  const unknown = unknownName(Object(input), known);
  if (unknown === undefined) return;
  const names = Object.keys(known).join(', ');
  throw new TypeError(`there is no field ${JSON.stringify(unknown)}; ${what} takes: ${names}`);
}

/** Rejects unknown options: with a misspelt `tx`, the event would be published outside of the transaction unnoticed. */
function assertOptions(options: PublishOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('the options of publish must be an object, such as { tx }');
  }
  const misplaced = Object.keys(options).find((name) => Object.hasOwn(MESSAGE_FIELDS, name));
  if (misplaced !== undefined) {
    throw new TypeError(
      `${misplaced} belongs in the event, beside accountId and data: publish(event, { accountId, data, ${misplaced} }, { tx })`,
    );
  }
  assertKnown('publish', options, PUBLISH_OPTIONS);
  if (!('tx' in options)) return;
  const { tx } = options;
  if (typeof tx !== 'object' || tx === null || typeof tx.query !== 'function') {
    throw new TypeError(
      'tx must be a transaction: an object with query(text, values), such as a client of pg',
    );
  }
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARS && key.isWellFormed();
}
