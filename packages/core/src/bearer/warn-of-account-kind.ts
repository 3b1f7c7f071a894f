import type { AccountIdKind } from '../account-id.ts';
import { mistakeInKind } from '../account-id-mistakes.ts';
import { warn } from '../warning.ts';

/**
 * Warns the integrator, once, if a route requires a string as account id although accounts are integers, or vice versa:
 * every request to that route is rejected.
 *
 * Security: throws no exception, because the id may come from the client if a route does not check its parameters.
 */
export function createWarnOfAccountKind(kind: AccountIdKind): (accountId: unknown) => void {
  let hasWarned = false;
  return (accountId) => {
    const mistake = hasWarned ? null : mistakeInKind(kind, accountId);
    if (mistake === null) return;
    hasWarned = true;
    warn(
      'LATCHHOOK_ACCOUNTS',
      `the id that the function account of requireAuth returned ${mistake}`,
    );
  };
}
