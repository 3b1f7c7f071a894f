import { type AccountIdKind, mistakeInKind } from '../account-id.ts';
import { warn } from '../warning.ts';

/**
 * Warns the integrator, once, of a route that asks about an account by an id of the other kind: nobody passes.
 *
 * Security: no more than a warning, as it may be the client's doing, where a route does not check what it was sent.
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
