import { type AccountIdKind, mistakeInKind } from '../account-id.ts';
import { warn } from '../warning.ts';

/**
 * Warns the integrator, once, that a route requires an account by an id of the other kind, so that nobody passes.
 *
 * Security: no exception, since the id may be the client's, if a route does not check its parameters.
 */
export function createWarnOfAccountKind(kind: AccountIdKind): (accountId: unknown) => void {
  let warned = false;
  return (accountId) => {
    const mistake = warned ? null : mistakeInKind(kind, accountId);
    if (mistake === null) return;
    warned = true;
    warn('LATCHHOOK_ACCOUNTS', `what the account of requireAuth returns ${mistake}`);
  };
}
