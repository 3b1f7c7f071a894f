import { isMember } from './entitlement.ts';
import type { User } from './users.ts';

/** Whether a user is there, enabled, and in the account that something was bound to; if not, why. */
export type Access =
  | { readonly outcome: 'good'; readonly user: User }
  | { readonly outcome: 'user_gone' | 'user_disabled' | 'membership_lost' };

/** Whether a user may still use what a login gave, and if not, why. */
export type Standing = Access | { readonly outcome: 'password_changed' };

/** What a login fixes permanently. */
export interface LoginFacts {
  /** The account that the login was bound to, or `null`. */
  readonly accountId: number | null;
  readonly authTimeMs: number;
}

/**
 * Checks a login against what the directory says of its user now: by the time that a token or a challenge of the login
 * comes back, the user may be gone, disabled, out of the account, or under a new password.
 */
export function standingOf(user: User | null, { accountId, authTimeMs }: LoginFacts): Standing {
  const access = accessOf(user, accountId);
  if (access.outcome !== 'good') return access;
  const changedAtMs = access.user.passwordChangedAtMs ?? 0;
  return changedAtMs > authTimeMs ? { outcome: 'password_changed' } : access;
}

/**
 * The same without the password: for personal access tokens, which a new password does not end, and for challenges
 * whose attempt is not reserved yet, since only that tells when the login was.
 */
export function accessOf(user: User | null, accountId: number | null): Access {
  if (user === null) return { outcome: 'user_gone' };
  if (user.disabled) return { outcome: 'user_disabled' };
  return isMember(user, accountId) ? { outcome: 'good', user } : { outcome: 'membership_lost' };
}
