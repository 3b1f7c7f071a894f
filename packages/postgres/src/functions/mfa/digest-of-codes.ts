import { hash } from 'node:crypto';

/**
 * A digest by which a list of recovery codes is recognised. The list itself is not kept, so that nothing is left of a
 * code that was used.
 */
export function digestOfCodes(recoveryCodeHashes: readonly string[]): string {
  return hash('sha256', JSON.stringify(recoveryCodeHashes), 'base64url');
}
