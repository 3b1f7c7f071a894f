import { assertNames, type NamesOf } from '../assert-names.ts';
import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import { uncheckedFields } from '../unchecked-fields.ts';
import { PING_EVENT, WEBHOOK_EVENTS } from '../webhook-events.ts';
import type { EventType } from '../webhooks/events/event-types.ts';
import { exampleAsSent } from '../webhooks/events/example-as-sent.ts';
import { USER_SECURITY_EVENTS } from '../webhooks/events/user-security-events.ts';

/** Needs no escapes in a body, in a telemetry header, or in the name of a key at rest. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;
const MAX_EVENTS = 1_000;

const EVENT: NamesOf<EventType> = {
  schema: true,
  description: true,
  example: true,
  securityEvent: true,
};

/**
 * The option `webhooks.events` as a map by name; without it, {@link WEBHOOK_EVENTS}.
 *
 * @throws {ConfigError} `webhooks_invalid`, `option_unknown`; each names the event
 */
export function resolveEvents(option: unknown): ReadonlyMap<string, EventType> {
  if (option === undefined) return new Map(WEBHOOK_EVENTS.map((name) => [name, {}]));
  if (typeof option !== 'object' || option === null || Symbol.iterator in option) {
    throw invalid("must be an object of events by name, such as { 'Invoice.Paid': {} }");
  }
  const events = Object.entries(option);
  if (events.length === 0 || events.length > MAX_EVENTS) {
    throw invalid(`must name 1 to ${MAX_EVENTS} events, not ${events.length}`);
  }
  for (const [name, event] of events) assertEvent(name, event);
  return new Map(events.map(([name, event]) => [name, resolveEvent(name, event)]));
}

/**
 * A copy of the definition, which may be an instance of a class with getters. A security event without description gets
 * Latchhook's, and the example becomes what receivers get.
 */
function resolveEvent(name: string, event: EventType): EventType {
  const { schema, securityEvent, example } = event;
  const known = securityEvent && USER_SECURITY_EVENTS[securityEvent];
  const resolved: Readonly<Record<keyof EventType, unknown>> = {
    schema,
    description: event.description ?? known?.description,
    example:
      example === undefined ? undefined : resolveExample(name, example, known?.schema ?? schema),
    securityEvent,
  };
  return Object.fromEntries(Object.entries(resolved).filter(([, value]) => value !== undefined));
}

function resolveExample(name: string, example: object, schema: EventType['schema']): object {
  try {
    return exampleAsSent(example, schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(`${JSON.stringify(name)}: ${reason}`);
  }
}

function assertEvent(name: string, event: Partial<Record<keyof EventType, unknown>>): void {
  const quotedName = JSON.stringify(name);
  if (name === PING_EVENT) throw invalid(`${quotedName} is the event of pings`);
  if (!NAME.test(name)) {
    throw invalid(
      `${quotedName} must be 1 to 128 of A-Z, a-z, 0-9 and . _ : / -, beginning with a letter or digit`,
    );
  }
  assertNames(`webhooks.events[${quotedName}]`, 'webhooks_invalid', event, EVENT);
  const { schema, description, securityEvent } = event;
  const standard = uncheckedFields<{ '~standard': unknown }>(schema)['~standard'];
  if (schema !== undefined && missingMethods('schema', standard, ['validate']).length > 0) {
    throw invalid(`${quotedName}: schema must be of a library that speaks Standard Schema`);
  }
  if (description !== undefined && typeof description !== 'string') {
    throw invalid(`${quotedName}: description must be a string`);
  }
  if (securityEvent !== undefined) assertSecurityEvent(quotedName, securityEvent, schema);
}

function assertSecurityEvent(quotedName: string, securityEvent: unknown, schema: unknown): void {
  const names = Object.keys(USER_SECURITY_EVENTS);
  if (!names.some((name) => name === securityEvent)) {
    throw invalid(
      `${quotedName}: securityEvent must be one of ${names.join(', ')}; any other is about no account`,
    );
  }
  if (schema !== undefined) {
    throw invalid(`${quotedName} takes no schema beside securityEvent, whose data is known`);
  }
}

function invalid(rule: string): ConfigError {
  return new ConfigError('webhooks_invalid', `webhooks.events ${rule}`);
}
