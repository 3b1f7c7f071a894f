import type { AccountId } from '../account-id.ts';
import { isMember } from './entitlement.ts';
import type { AnyUser } from './users.ts';

/** Whether a user is there, enabled, and in the account that something was bound to; if not, why. */
export type Access =
  | { readonly outcome: 'good'; readonly user: AnyUser }
  | { readonly outcome: 'user_gone' | 'user_disabled' | 'membership_lost' };

/** Whether a user may still use what a login gave, and if not, why. */
export type UserStatus = Access | { readonly outcome: 'password_changed' };

/** What a login fixes permanently. */
export interface LoginFacts {
  /** The account that the login was bound to, or `null`. */
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

/**
 * Checks a login against what the user store says of its user now: by the time that a token or a challenge of the login
 * comes back, the user may be gone, disabled, out of the account, or under a new password.
 */
export function userStatusOf(
  user: AnyUser | null,
  { accountId, authTimeMs }: LoginFacts,
): UserStatus {
  const access = accessOf(user, accountId);
  if (access.outcome !== 'good') return access;
  const changedAtMs = access.user.passwordChangedAtMs ?? 0;
  return changedAtMs > authTimeMs ? { outcome: 'password_changed' } : access;
}

/**
 * The same without the password: for personal access tokens, which a new password does not end, and for challenges
 * whose attempt is not reserved yet, since only that tells when the login was.
 */
export function accessOf(user: AnyUser | null, accountId: AccountId | null): Access {
  if (user === null) return { outcome: 'user_gone' };
  if (user.disabled) return { outcome: 'user_disabled' };
  return isMember(user, accountId) ? { outcome: 'good', user } : { outcome: 'membership_lost' };
}
