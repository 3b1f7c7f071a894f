import type { AccountId } from '../account-id.ts';
import type { AccessTokenSecurityEvent } from './events/access-token-security-event.ts';
import type { FactorSecurityEvent } from './events/factor-security-event.ts';
import type { FaultSecurityEvent } from './events/fault-security-event.ts';
import type { LoginSecurityEvent } from './events/login-security-event.ts';
import type { PersonalAccessTokenSecurityEvent } from './events/personal-access-token-security-event.ts';
import type { SessionSecurityEvent } from './events/session-security-event.ts';
import type { WebhookSecurityEvent } from './events/webhook-security-event.ts';

/**
 * What the people who monitor the app want to know: what happened, to whom, from where, and why.
 * `docs/security-events.md` lists all, and says what is worth an alarm.
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

/** Called with events. What it throws or rejects with becomes a warning. */
export type SecurityEventListener<Id extends AccountId = number> = (
  event: TimedSecurityEvent<Id>,
) => unknown;

/** The one emitter of everything worth watching. */
export interface SecurityEvents<Id extends AccountId = number> {
  /**
   * Calls `listener` for every event; the returned function ends that. A listener that throws harms nobody. Of
   * `access_token.rejected` it hears one a minute for each reason, with a count; so it does, for each session, of
   * `enrolment.failed` without a wrong code.
   */
  subscribe(listener: SecurityEventListener<Id>): () => void;
  /**
   * The same for listeners that only count: they hear each of those; and while nobody subscribes, faults go to
   * `console.error`, even if somebody observes.
   */
  observe(listener: SecurityEventListener<Id>): () => void;
}
