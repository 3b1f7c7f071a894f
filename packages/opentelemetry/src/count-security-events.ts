import type { AccountId, SecurityEventListener, TimedSecurityEvent } from '@latchhook/core';
import { type Attributes, trace } from '@opentelemetry/api';
import { type InstrumentOptions, meterOf } from './instrument-options.ts';
import { errorTypeOf } from './traced-calls.ts';

/**
 * Makes a listener that counts security events in `latchhook.security_events`, and rejected access tokens of our own in
 * `latchhook.tokens.rejected`, and records each fault on the span in which it happened. `instrument` adds one by
 * itself; a process that only sends passes one to `createDeliveryWorker`, beside its log.
 *
 * Security: counts only by type, reason and actor. Users and addresses do not become attributes: there is no limit to
 * their number, and metrics go where personal data should not. Of what caused a fault only the type is recorded, since
 * messages and stacks may hold personal data: your listener has them.
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
  const counter = meterOf(options).createCounter('latchhook.security_events', {
    description: 'Security events, by what they are and why',
    unit: '{event}',
  });
  const rejectedTokens = meterOf(options).createCounter('latchhook.tokens.rejected', {
    description: 'Access tokens of our own that were rejected, by the reason',
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

/** A value of a closed list: its types are unions of literals. */
function reasonOf(event: TimedSecurityEvent<AccountId>): string | undefined {
  if ('reason' in event) return event.reason;
  return event.type === 'fault' ? event.where : undefined;
}
