import { assertNames, type NamesOf } from '../assert-names.ts';
import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import { PING_EVENT, WEBHOOK_EVENTS } from '../webhook-events.ts';
import type { EventType } from '../webhooks/events/event-types.ts';
import { USER_SECURITY_EVENTS } from '../webhooks/events/user-security-events.ts';

/** Safe without escapes in a body, in a telemetry header, and in the name of a key at rest. */
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
export function resolveEvents(given: unknown): ReadonlyMap<string, EventType> {
  if (given === undefined) return new Map(WEBHOOK_EVENTS.map((name) => [name, {}]));
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid("must be an object of events by name, such as { 'Invoice.Paid': {} }");
  }
  const events = Object.entries(given);
  if (events.length === 0 || events.length > MAX_EVENTS) {
    throw invalid(`must name 1 to ${MAX_EVENTS} events, not ${events.length}`);
  }
  for (const [name, event] of events) assertEvent(name, event);
  return new Map(events.map(([name, event]) => [name, described(event)]));
}

/** Security events have a description of ours, if the host gives none. */
function described(event: EventType): EventType {
  const { securityEvent } = event;
  if (securityEvent === undefined) return event;
  const { description } = USER_SECURITY_EVENTS[securityEvent];
  return { ...event, description: event.description ?? description };
}

function assertEvent(name: string, event: Partial<Record<keyof EventType, unknown>>): void {
  const named = JSON.stringify(name);
  if (name === PING_EVENT) throw invalid(`${named} is the event of pings`);
  if (!NAME.test(name)) {
    throw invalid(
      `${named} must be 1 to 128 of A-Z, a-z, 0-9 and . _ : / -, beginning with a letter or digit`,
    );
  }
  assertNames(`webhooks.events[${named}]`, 'webhooks_invalid', event, EVENT);
  const { schema, description, example, securityEvent } = event;
  const standard = Object(schema)['~standard'];
  if (schema !== undefined && missingMethods('schema', standard, ['validate']).length > 0) {
    throw invalid(`${named}: schema must be of a library that speaks Standard Schema`);
  }
  if (description !== undefined && typeof description !== 'string') {
    throw invalid(`${named}: description must be a string`);
  }
  if (example !== undefined && !isPlain(example)) {
    throw invalid(`${named}: example must be an object that JSON can hold`);
  }
  if (securityEvent !== undefined) assertSecurityEvent(named, securityEvent, schema);
}

function assertSecurityEvent(named: string, given: unknown, schema: unknown): void {
  const names = Object.keys(USER_SECURITY_EVENTS);
  if (!names.some((name) => name === given)) {
    throw invalid(
      `${named}: securityEvent must be one of ${names.join(', ')}; any other is about no account`,
    );
  }
  if (schema !== undefined) {
    throw invalid(`${named} takes no schema beside securityEvent, whose data is known`);
  }
}

function isPlain(example: unknown): boolean {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return false;
  try {
    return JSON.stringify(example).startsWith('{');
  } catch {
    return false;
  }
}

function invalid(what: string): ConfigError {
  return new ConfigError('webhooks_invalid', `webhooks.events ${what}`);
}
