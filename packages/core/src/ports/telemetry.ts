import type { Scope } from '../scope.ts';

/** Where the request came from, as far as the host told. */
export interface Origin {
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}

/** Which webhook an event is about. Never its URL, which may hold a secret of the receiver's. */
export interface WebhookName {
  readonly accountId: number;
  readonly webhookId: string;
}

/**
 * What happened that somebody watching over the app would want to know. No member ever holds a secret:
 * neither a password, nor a code, nor a token, nor a hash of one. A `username` is what was typed into the
 * login form; treat it as personal data.
 */
export type SecurityEvent =
  | (Origin & {
      readonly type: 'login.succeeded';
      readonly userId: string;
      readonly sessionId: string;
      readonly scopes: readonly Scope[];
      readonly amr: readonly string[];
    })
  | (Origin & {
      readonly type: 'login.failed';
      readonly username: string;
      readonly userId: string | null;
      /** `revoked_meanwhile`: the password was right, but `revokeAll` came while it was being checked. */
      readonly reason:
        | 'unknown_user'
        | 'wrong_password'
        | 'disabled'
        | 'unusable_hash'
        | 'revoked_meanwhile';
    })
  | (Origin & {
      readonly type: 'login.throttled';
      readonly username: string;
      readonly by: 'identifier' | 'address';
      readonly retryAfterSeconds: number;
    })
  | (Origin & { readonly type: 'login.shed'; readonly reason: 'queue_full' | 'wait_too_long' })
  | { readonly type: 'password.rehashed'; readonly userId: string; readonly replaced: boolean }
  | (Origin & { readonly type: 'challenge.created'; readonly userId: string })
  | (Origin & {
      readonly type: 'challenge.failed';
      readonly userId: string;
      readonly reason: 'wrong_code' | 'step_used' | 'gone';
      readonly attemptsRemaining: number | null;
    })
  | (Origin & { readonly type: 'factor.locked'; readonly userId: string; readonly untilMs: number })
  | { readonly type: 'factor.unlocked'; readonly userId: string }
  | (Origin & {
      /** The user has proved a new factor, or taken theirs away, or made new recovery codes. */
      readonly type: 'factor.enrolled' | 'factor.removed' | 'recovery_codes.replaced';
      readonly userId: string;
    })
  | (Origin & {
      readonly type: 'factor.refused';
      readonly userId: string;
      readonly suspended: boolean;
    })
  | (Origin & {
      readonly type: 'session.refreshed';
      readonly userId: string;
      readonly sessionId: string;
      readonly generation: number;
      readonly replayed: boolean;
    })
  | (Origin & {
      readonly type: 'session.reused';
      readonly userId: string;
      readonly sessionId: string;
    })
  | (Origin & {
      readonly type: 'session.rolled_forward';
      readonly userId: string;
      readonly sessionId: string;
    })
  | (Origin & {
      readonly type: 'session.refused';
      readonly userId: string;
      readonly sessionId: string;
      readonly reason:
        | 'revoked'
        | 'expired'
        | 'unknown'
        | 'busy'
        | 'user_gone'
        | 'user_disabled'
        | 'membership_lost'
        | 'password_changed'
        | 'grant_mismatch';
    })
  | (Origin & {
      readonly type: 'session.revoked';
      readonly userId: string;
      readonly sessionId: string;
    })
  | (Origin & { readonly type: 'sessions.revoked_all'; readonly userId: string })
  | (Origin & {
      readonly type: 'sessions.revoked_others';
      readonly userId: string;
      /** The one that was spared. */
      readonly sessionId: string;
    })
  | (Origin & {
      readonly type: 'personal_access_token.created' | 'personal_access_token.revoked';
      readonly userId: string;
      readonly tokenId: string;
    })
  | {
      /** The host has said that it came to light; it is revoked. */
      readonly type: 'personal_access_token.leaked';
      readonly userId: string;
      readonly tokenId: string;
    }
  | {
      readonly type: 'personal_access_tokens.revoked_all';
      readonly userId: string;
      /** How many were live. */
      readonly count: number;
    }
  | (Origin &
      WebhookName & {
        readonly type:
          | 'webhook.created'
          | 'webhook.changed'
          | 'webhook.removed'
          | 'webhook.secret_rotated'
          | 'webhook.enabled';
        readonly userId: string;
      })
  | (WebhookName & {
      readonly type: 'webhook.disabled';
      /** It answered 410, or nothing but failures for days. Deliveries are held until it is enabled. */
      readonly reason: 'gone' | 'failing';
    })
  | (WebhookName & {
      readonly type: 'delivery.dead';
      readonly deliveryId: string;
      readonly reason: 'exhausted' | 'gone' | 'expired' | 'poison';
    })
  | {
      readonly type: 'fault';
      readonly where: 'storage' | 'directory' | 'internal' | 'host' | 'delivery';
      readonly error: unknown;
    };

/** The names of all security events. */
export type SecurityEventType = SecurityEvent['type'];

/** One event with the time at which it was emitted, ms since 1970. */
export type TimedSecurityEvent = SecurityEvent & { readonly atMs: number };

/** Hears events. What it throws or rejects with becomes a warning. */
export type SecurityEventListener = (event: TimedSecurityEvent) => unknown;

/** The one emitter of everything worth watching. */
export interface SecurityEvents {
  /** Calls `listener` for every event; the returned function ends that. A listener that throws harms nobody. */
  subscribe(listener: SecurityEventListener): () => void;
}
