/**
 * For a mistake of the integrator, who may have no compiler to find it.
 *
 * @param role - what the account is to the call
 * @throws {TypeError}
 */
export function assertAccountId(accountId: unknown, role: string): void {
  if (Number.isSafeInteger(accountId) && Number(accountId) >= 1) return;
  throw new TypeError(`accountId must be an integer from 1: ${role}`);
}
