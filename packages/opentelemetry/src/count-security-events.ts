import type { AccountId, SecurityEventListener, TimedSecurityEvent } from '@latchhook/core';
import { type Attributes, trace } from '@opentelemetry/api';
import { assertInstrumentOptions, type InstrumentOptions, meterOf } from './instrument-options.ts';
import { errorTypeOf } from './traced-calls.ts';

/**
 * Creates a listener that counts security events in `latchhook.security_events` and rejected access tokens that
 * Latchhook issued in `latchhook.tokens.rejected`. It records each fault on the span in which the fault happened.
 * `instrument` subscribes such a listener itself; in a process that only sends webhooks, pass one to
 * `createDeliveryWorker`, in addition to your log.
 *
 * Security: the attributes are type, reason and actor only. Users and addresses are not attributes because their number
 * is unlimited, and metrics are no place for personal data. Only the type of a fault's cause is recorded because its
 * message and stack may contain personal data; your own listener gets both.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`
 *
 * @example
 * ```ts
 * import type { SecurityEventListener } from '@latchhook/core';
 * import { countSecurityEvents } from '@latchhook/opentelemetry';
 *
 * declare const log: SecurityEventListener;
 * const count = countSecurityEvents();
 * const onSecurityEvent: SecurityEventListener = (event) => {
 *   count(event);
 *   log(event);
 * };
 * ```
 */
export function countSecurityEvents(
  options: InstrumentOptions = {},
): SecurityEventListener<AccountId> {
  assertInstrumentOptions('countSecurityEvents', options);
  const counter = meterOf(options).createCounter('latchhook.security_events', {
    description: 'Security events, by type and reason',
    unit: '{event}',
  });
  const rejectedTokens = meterOf(options).createCounter('latchhook.tokens.rejected', {
    description: 'Rejected access tokens that Latchhook has issued, by reason',
    unit: '{token}',
  });
  return (event) => {
    if (event.type === 'access_token.rejected') {
      rejectedTokens.add(event.count, { 'error.type': event.reason });
      return;
    }
    counter.add(1, attributesOf(event));
    if (event.type === 'fault') {
      trace.getActiveSpan()?.recordException({ name: errorTypeOf(event.error) });
    }
  };
}

function attributesOf(event: TimedSecurityEvent<AccountId>): Attributes {
  const reason = reasonOf(event);
  return {
    'latchhook.event.type': event.type,
    ...(reason !== undefined && { 'latchhook.event.reason': reason }),
    ...('actor' in event && { 'latchhook.event.actor': event.actor }),
  };
}

/** The reason of an event. It can be an attribute of a metric because the number of reasons is limited. */
function reasonOf(event: TimedSecurityEvent<AccountId>): string | undefined {
  if ('reason' in event) return event.reason;
  return event.type === 'fault' ? event.where : undefined;
}
