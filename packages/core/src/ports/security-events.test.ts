import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { SecurityEvent, SecurityEventType } from './security-events.ts';

/** The events that may have this type, without those of other types that share a shape. */
type EventOf<Type, Event = SecurityEvent> = Event extends { readonly type: infer Shared }
  ? Type extends Shared
    ? Event
    : never
  : never;

const client = { clientAddress: true, userAgent: true } as const;
const user = { userId: true, ...client } as const;
const session = { sessionId: true, ...user } as const;
const token = { tokenId: true, ...user } as const;
const webhook = { accountId: true, webhookId: true } as const;
const changedWebhook = { actor: true, ...webhook, ...user } as const;

/** All events with all of their fields; the first test compares them with the union. */
const EVENTS = {
  'login.succeeded': { accountId: true, scopes: true, amr: true, actor: true, ...session },
  'login.new_address': user,
  'login.failed': { username: true, reason: true, actor: true, ...user },
  'login.throttled': { username: true, reason: true, retryAfterSeconds: true, ...client },
  'login.shed': { username: true, reason: true, ...client },
  'password.rehashed': { replaced: true, ...user },
  'challenge.created': { actor: true, ...user },
  'challenge.failed': { reason: true, attemptsRemaining: true, ...user },
  'factor.locked': { untilMs: true, ...user },
  'factor.rejected': { retryAfterSeconds: true, suspended: true, ...user },
  'factor.unlocked': user,
  'factor.enrolled': user,
  'factor.removed': { actor: true, ...user },
  'enrolment.failed': { reason: true, count: true, ...session },
  'recovery_codes.replaced': user,
  'session.refreshed': { generation: true, replayed: true, ...session },
  'session.rejected': { reason: true, ...session },
  'session.reused': { accountId: true, ...session },
  'session.rolled_forward': session,
  'session.revoked': { actor: true, ...session },
  'sessions.revoked_all': { actor: true, ...user },
  'sessions.revoked_others': { actor: true, ...session },
  'access_token.rejected': { reason: true, count: true },
  'personal_access_token.created': { scopes: true, accountId: true, expiresAtMs: true, ...token },
  'personal_access_token.revoked': { accountId: true, actor: true, ...token },
  'personal_access_token.leaked': { accountId: true, ...token },
  'personal_access_tokens.revoked_all': { count: true, ...user },
  'webhook.created': changedWebhook,
  'webhook.changed': { fields: true, ...changedWebhook },
  'webhook.removed': changedWebhook,
  'webhook.secret_rotated': changedWebhook,
  'webhook.enabled': changedWebhook,
  'webhook.disabled': { reason: true, ...webhook },
  'delivery.dead': { deliveryId: true, reason: true, ...webhook },
  fault: { where: true, error: true },
} as const;

type Listed = { readonly [Type in keyof typeof EVENTS]: keyof (typeof EVENTS)[Type] };
type Declared = {
  readonly [Type in SecurityEventType]: Exclude<keyof EventOf<Type>, 'type'>;
};

const document = readFileSync(
  new URL('../../../../docs/security-events.md', import.meta.url),
  'utf8',
);

/** The fields that the tables list for each event, in alphabetical order. */
function documented(): Record<string, readonly string[]> {
  const rows = document.matchAll(/^\| `([\w.]+)` *\|[^|]*\|([^|]*)\|[^|]*\|$/gm);
  return Object.fromEntries(
    Array.from(rows, ([, type = '', cell = '']) => [type, fieldsIn(cell).sort()]),
  );
}

function fieldsIn(cell: string): string[] {
  const named = Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  return cell.includes('_client_') ? [...named, ...Object.keys(client)] : named;
}

describe('docs/security-events.md', () => {
  it('has every security event with every field, and nothing else', () => {
    expectTypeOf<Listed>().toEqualTypeOf<Declared>();
    const expected = Object.entries(EVENTS).map(([type, fields]) => [
      type,
      Object.keys(fields).sort(),
    ]);
    expect(documented()).toEqual(Object.fromEntries(expected));
  });

  it('has every event once', () => {
    const types = Array.from(document.matchAll(/^\| `([\w.]+)` /gm), ([, type]) => type);
    expect(types.length).toBe(new Set(types).size);
  });
});
