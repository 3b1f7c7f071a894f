import { hash } from 'node:crypto';

/**
 * A digest that identifies a list of recovery codes. The list itself is not stored, so that nothing remains of a used
 * code.
 */
export function digestOfCodes(recoveryCodeHashes: readonly string[]): string {
  return hash('sha256', JSON.stringify(recoveryCodeHashes), 'base64url');
}
