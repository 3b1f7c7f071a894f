import * as v from 'valibot';
import type { SecurityEvent } from '../../ports/security-events.ts';
import { time, timeText, wholeNumber } from '../../schema/answer-fields.ts';
import type { StandardSchema } from './standard-schema.ts';

/**
 * The security events for which webhooks can be registered. Each concerns one user, to whose accounts it is published,
 * and is caused by a login, a credential or a call of the host. Excluded are events of failed guesses, which anybody
 * can cause; events of every request; and events of webhooks and deliveries, which would cause further events without
 * end.
 */
export type UserSecurityEventType =
  | 'login.succeeded'
  | 'login.new_address'
  | 'session.reused'
  | 'session.revoked'
  | 'sessions.revoked_all'
  | 'sessions.revoked_others'
  | 'factor.enrolled'
  | 'factor.removed'
  | 'factor.locked'
  | 'factor.unlocked'
  | 'recovery_codes.replaced'
  | 'personal_access_token.created'
  | 'personal_access_token.revoked'
  | 'personal_access_token.leaked'
  | 'personal_access_tokens.revoked_all';

export type UserSecurityEvent = Extract<SecurityEvent, { readonly type: UserSecurityEventType }>;

/** The description of a security event, and the schema of its data. */
export interface UserSecurityEventData {
  readonly description: string;
  readonly schema: StandardSchema<object>;
}

const text = v.string();
const texts = v.array(text);
const actor = v.picklist(['user', 'holder', 'host']);

/**
 * Defines the data of an event. Receivers get only the fields that are named here, which are neither secrets nor login
 * names.
 */
function eventData(description: string, fields: v.ObjectEntries): UserSecurityEventData {
  const client = { client_address: v.nullable(text), user_agent: v.nullable(text) };
  return { description, schema: v.object({ user_id: text, ...fields, ...client }) };
}

/** The data of each security event, by its name. */
export const USER_SECURITY_EVENTS: Readonly<Record<UserSecurityEventType, UserSecurityEventData>> =
  {
    'login.succeeded': eventData('A session has begun.', {
      session_id: text,
      scopes: texts,
      amr: texts,
      actor,
    }),
    'login.new_address': eventData(
      'A right password has come from an address from which the user had not logged in lately.',
      {},
    ),
    'session.reused': eventData(
      'A refresh token that had long been exchanged has come back. The session has been ended.',
      { session_id: text },
    ),
    'session.revoked': eventData('A session has been ended.', { session_id: text, actor }),
    'sessions.revoked_all': eventData('All sessions of a user have been ended.', { actor }),
    'sessions.revoked_others': eventData('All sessions of a user but one have been ended.', {
      session_id: text,
      actor,
    }),
    'factor.enrolled': eventData('A user has a new second factor.', {}),
    'factor.removed': eventData('A user has no second factor any more.', { actor }),
    'factor.locked': eventData('Too many wrong codes: the second factor is locked.', {
      until: time,
    }),
    'factor.unlocked': eventData('The lock of a second factor has been lifted.', {}),
    'recovery_codes.replaced': eventData('A user has new recovery codes.', {}),
    'personal_access_token.created': eventData('A personal access token has been made.', {
      token_id: text,
      scopes: texts,
      expires_at: time,
    }),
    'personal_access_token.revoked': eventData('A personal access token has been revoked.', {
      token_id: text,
      actor,
    }),
    'personal_access_token.leaked': eventData(
      'A personal access token was reported as leaked, and has been revoked.',
      { token_id: text },
    ),
    'personal_access_tokens.revoked_all': eventData(
      'All personal access tokens of a user have been revoked.',
      { count: wholeNumber },
    ),
  };

export function isUserSecurityEvent(event: SecurityEvent): event is UserSecurityEvent {
  return Object.hasOwn(USER_SECURITY_EVENTS, event.type);
}

/**
 * Converts an event to the names of the HTTP interface: `expiresAtMs` becomes `expires_at`. The schema then drops all
 * fields that receivers do not get.
 */
export function dataOf(event: UserSecurityEvent): object {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) =>
      name.endsWith('Ms')
        ? [snakeCase(name.slice(0, -'Ms'.length)), timeText(value)]
        : [snakeCase(name), value],
    ),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
