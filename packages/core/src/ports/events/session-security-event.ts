import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';
import type { Actor } from './actor.ts';

/** Events of sessions: of their refresh tokens, and of their ends. */
export type SessionSecurityEvent<Id extends AccountId = AccountId> =
  /** A refresh token has been exchanged. */
  | (ClientInfo & {
      readonly type: 'session.refreshed';
      readonly userId: string;
      readonly sessionId: string;
      /** The number of the refresh token that was issued; the login's own is 1. */
      readonly generation: number;
      /** Whether that token had been issued before, and the client has requested it again. */
      readonly replayed: boolean;
    })
  /** A refresh token that had long been exchanged has come back. The session has been ended. */
  | (ClientInfo & {
      readonly type: 'session.reused';
      readonly userId: string;
      readonly sessionId: string;
      /** The account that the session was bound to, or `null`. */
      readonly accountId: Id | null;
    })
  /** The storage has lost writes: an authentic refresh token was ahead of it. A `session.refreshed` follows. */
  | (ClientInfo & {
      readonly type: 'session.rolled_forward';
      readonly userId: string;
      readonly sessionId: string;
    })
  /** An authentic refresh token has been rejected. */
  | (ClientInfo & {
      readonly type: 'session.rejected';
      readonly userId: string;
      readonly sessionId: string;
      readonly reason: SessionRejectionReason;
    })
  /** One session has been ended on purpose. */
  | (ClientInfo & {
      readonly type: 'session.revoked';
      readonly userId: string;
      readonly sessionId: string;
      readonly actor: Actor;
    })
  /** All of the user's sessions have been ended, and all challenges. */
  | (ClientInfo & {
      readonly type: 'sessions.revoked_all';
      readonly userId: string;
      readonly actor: Actor;
    })
  /** All of the user's sessions except for one have been ended, and all challenges. */
  | (ClientInfo & {
      readonly type: 'sessions.revoked_others';
      readonly userId: string;
      /** The session that was kept. */
      readonly sessionId: string;
      readonly actor: Actor;
    });

/** Why an authentic refresh token was rejected. */
export type SessionRejectionReason =
  | 'revoked'
  | 'expired'
  /** The storage has no such session, or no longer has it. */
  | 'unknown'
  /**
   * Revoked, expired or unknown: the request had to be rejected anyway, for its accounts or scopes, so the store was
   * only asked whether the session is live.
   */
  | 'ended'
  /** One token was presented too often within its grace. */
  | 'busy'
  | 'user_gone'
  | 'user_disabled'
  /** The user has left the account that the session is bound to. */
  | 'membership_lost'
  | 'password_changed'
  /** The session and its token contradict each other: one of them has been tampered with. */
  | 'grant_mismatch'
  /** The request asks for an account that is not the session's, or not one of the user's. */
  | 'account_denied'
  /** The request asks for a scope that the login was not granted, or only for scopes that the user has lost. */
  | 'scope_denied'
  /** The session is bound to no account, and the user now has more accounts than a token can name. */
  | 'too_many_accounts';
