import type { AccountId } from '../account-id.ts';
import type { AccessTokenSecurityEvent } from './events/access-token-security-event.ts';
import type { FactorSecurityEvent } from './events/factor-security-event.ts';
import type { FaultSecurityEvent } from './events/fault-security-event.ts';
import type { LoginSecurityEvent } from './events/login-security-event.ts';
import type { PersonalAccessTokenSecurityEvent } from './events/personal-access-token-security-event.ts';
import type { SessionSecurityEvent } from './events/session-security-event.ts';
import type { WebhookSecurityEvent } from './events/webhook-security-event.ts';

/**
 * An event for those who monitor the app: what happened, to whom, from where, and why. `docs/security-events.md` lists
 * all events, and says which deserve an alarm.
 *
 * Security: no member ever holds a secret: neither a password, nor a code, nor a token, nor a hash of one.
 */
export type SecurityEvent<Id extends AccountId = AccountId> =
  | LoginSecurityEvent<Id>
  | FactorSecurityEvent
  | SessionSecurityEvent<Id>
  | AccessTokenSecurityEvent
  | PersonalAccessTokenSecurityEvent<Id>
  | WebhookSecurityEvent<Id>
  | FaultSecurityEvent;

/** The names of all security events. */
export type SecurityEventType = SecurityEvent['type'];

/** One event with the time at which it was emitted, ms since 1970. */
export type TimedSecurityEvent<Id extends AccountId = number> = SecurityEvent<Id> & {
  readonly atMs: number;
};

/** Called with events. If it throws or rejects, that becomes a warning. */
export type SecurityEventListener<Id extends AccountId = number> = (
  event: TimedSecurityEvent<Id>,
) => unknown;

/** Emits all security events of an app. */
export interface SecurityEvents<Id extends AccountId = number> {
  /**
   * Calls `listener` for every event, until the returned function is called. A listener that throws breaks nothing.
   * Repeated rejections are throttled, and have a count: in a minute, the listener gets at most one
   * `access_token.rejected` for each reason, and one `enrolment.failed` for each session and reason. Wrong codes are
   * not throttled.
   *
   * @throws {ConfigError} `on_security_event_invalid`, for a listener that is no function
   */
  subscribe(listener: SecurityEventListener<Id>): () => void;
  /**
   * Like `subscribe`, for listeners that only count events: they get every event, without throttling. Faults go to
   * `console.error` while nobody subscribes, even if somebody observes.
   */
  observe(listener: SecurityEventListener<Id>): () => void;
}
