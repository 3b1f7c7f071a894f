import { hash } from 'node:crypto';

/**
 * By which a list of recovery codes is known again. The list itself is not kept beside the codes: of one that
 * was used nothing is left.
 */
export function digestOfCodes(recoveryCodeHashes: readonly string[]): string {
  return hash('sha256', JSON.stringify(recoveryCodeHashes), 'base64url');
}
