import type { AccountId } from '../account-id.ts';
import { isMember } from './entitlement.ts';
import type { AnyUser } from './users.ts';

/** Whether a user exists, is enabled, and belongs to the account of a login; if not, why. */
export type Access =
  | { readonly outcome: 'good'; readonly user: AnyUser }
  | { readonly outcome: 'user_gone' | 'user_disabled' | 'membership_lost' };

/** Whether a user may still use what a login granted, and if not, why. */
export type UserStatus = Access | { readonly outcome: 'password_changed' };

/** The facts of a login that never change. */
export interface LoginFacts {
  /** The account that the login was bound to, or `null`. */
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

/**
 * Checks a login against the present user of the user store: since the login, the user may have been removed or
 * disabled, may have left the account, or may have got a new password.
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
 * Like {@link userStatusOf}, but ignores whether the password has changed: personal access tokens outlive a new
 * password, and an answered challenge checks that only after it has reserved an attempt.
 */
export function accessOf(user: AnyUser | null, accountId: AccountId | null): Access {
  if (user === null) return { outcome: 'user_gone' };
  if (user.disabled) return { outcome: 'user_disabled' };
  return isMember(user, accountId) ? { outcome: 'good', user } : { outcome: 'membership_lost' };
}
