import type { AccountId } from '../../account-id.ts';
import type { PendingCalls } from '../../faults/call-guard.ts';
import { emitFaultOf } from '../../faults/emit-fault-of.ts';
import { throttleRepeatedErrors } from '../../faults/throttle-repeated-errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import { accountsOf } from '../../users/entitlement.ts';
import type { AnyUserStore } from '../../users/users.ts';
import type { EventType } from '../events/event-types.ts';
import { schemaOutput } from '../events/standard-schema.ts';
import {
  dataOf,
  isUserSecurityEvent,
  USER_SECURITY_EVENTS,
  type UserSecurityEvent,
} from '../events/user-security-events.ts';
import { newMessageId } from './message-id.ts';
import type { Publisher } from './publisher.ts';

/** A low limit, because logins have priority on the user store and the storage. */
const MAX_PARALLEL = 4;
/** The number of security events in some seconds of many logins. */
const MAX_WAITING = 1_000;

export interface PublishSecurityEventsDeps {
  /** By name. */
  readonly types: ReadonlyMap<string, EventType>;
  readonly publishEvent: Publisher['publishEvent'];
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly pending: PendingCalls;
  /** Counts only the publishing of security events; `pending` counts it too. */
  readonly publishing: PendingCalls;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Creates a function that publishes the security events that are among the app's events: each to the account of the
 * event, or else to all accounts of its user. It returns immediately and never throws, so that the cause of an event,
 * such as a login, does not wait.
 *
 * Best effort: an event is lost if the process ends before it is stored, if it cannot be stored, or if too many are
 * waiting. The last two emit faults.
 *
 * @returns `undefined` if the app has no such event
 */
export function createPublishSecurityEvents(
  deps: PublishSecurityEventsDeps,
): ((event: SecurityEvent) => void) | undefined {
  const { publishEvent, users, pending, publishing } = deps;
  const named = Array.from(deps.types).filter(([, { securityEvent }]) => securityEvent);
  if (named.length === 0) return undefined;
  const emit = throttleRepeatedErrors(deps.emit, deps.clock);
  const waiting: UserSecurityEvent[] = [];
  let running = 0;

  return (event) => {
    if (!isUserSecurityEvent(event) || namesOf(event).length === 0) return;
    if (waiting.length >= MAX_WAITING) {
      emitFaultOf(new Error('too many security events wait: one was not published'), emit);
      return;
    }
    pending.begin();
    publishing.begin();
    waiting.push(event);
    startNext();
  };

  function startNext(): void {
    if (running >= MAX_PARALLEL) return;
    const event = waiting.shift();
    if (event === undefined) return;
    running += 1;
    void publish(event)
      .catch((error: unknown) => emitFaultOf(error, emit))
      .finally(() => {
        running -= 1;
        pending.end();
        publishing.end();
        startNext();
      });
  }

  async function publish(event: UserSecurityEvent): Promise<void> {
    const accounts = await accountsFor(event);
    const { schema } = USER_SECURITY_EVENTS[event.type];
    const data = await schemaOutput(schema, dataOf(event), event.type);
    for (const name of namesOf(event)) {
      for (const accountId of accounts) {
        await publishEvent({
          id: newMessageId(),
          event: name,
          accountId,
          data,
          idempotencyKey: null,
        });
      }
    }
  }

  async function accountsFor(event: UserSecurityEvent): Promise<readonly AccountId[]> {
    const accountId = 'accountId' in event ? event.accountId : null;
    if (accountId !== null && accountId !== undefined) return [accountId];
    const user = await users.findById(event.userId);
    return user === null ? [] : accountsOf(user);
  }

  function namesOf({ type }: UserSecurityEvent): readonly string[] {
    return named.filter(([, { securityEvent }]) => securityEvent === type).map(([name]) => name);
  }
}
