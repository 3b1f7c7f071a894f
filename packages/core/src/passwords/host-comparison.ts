import type { AccountId } from '../account-id.ts';
import type { ComparePassword } from './password-comparison.ts';
import type { HostPasswordVerifier } from './password-options.ts';

/**
 * Compares by the host's own verifier. For unknown and disabled users the verifier is called with `null`, so that they
 * take as long as other users.
 */
export function createHostComparison(verifier: HostPasswordVerifier<AccountId>): ComparePassword {
  return async (user, password) => {
    if (user === null || user.disabled) {
      await verifier(null, password);
      return { outcome: 'mismatch', reason: user === null ? 'unknown_user' : 'disabled' };
    }
    // Only `true` matches: a verifier without types may return an object, or nothing.
    return (await verifier(user, password)) === true
      ? { outcome: 'match', needsRehash: false }
      : { outcome: 'mismatch', reason: 'wrong_password' };
  };
}
