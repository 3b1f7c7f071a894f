import { hash } from 'node:crypto';

/**
 * A digest of a list of recovery codes, by which a repeated call is recognised. The list itself is not stored, so that
 * nothing remains of a used code.
 */
export function digestOfCodes(recoveryCodeHashes: readonly string[]): string {
  return hash('sha256', JSON.stringify(recoveryCodeHashes), 'base64url');
}
