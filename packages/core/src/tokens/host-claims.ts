import { serverFault } from '../errors.ts';

/** Claims of the host: JSON under names that are not ours. */
export type HostClaims = Readonly<Record<string, unknown>>;

/** Tokens travel with every request. Of all claims of the host as JSON, in UTF-8. */
export const MAX_HOST_CLAIMS_BYTES = 2_048;

/** Ours, and those of JWT whose meaning every verifier knows (RFC 7519 4.1, RFC 7800 3.1, RFC 8693 4). */
const RESERVED: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf', 'act', 'may_act'],
  ...['client_id', 'scope', 'sid', 'accounts', 'account_id', 'auth_time', 'amr', 'acr'],
]);

/** Every token without claims of the host shares it. */
export const NO_HOST_CLAIMS: HostClaims = Object.freeze({});

/**
 * What `accessTokenClaims` has answered, as JSON has it.
 *
 * @throws {AuthError} `server_error`, a fault of the host that names the claim; no value is quoted
 */
export function checkedHostClaims(given: unknown): HostClaims {
  const mistake = mistakeIn(given);
  if (mistake === null) return JSON.parse(JSON.stringify(given));
  throw serverFault({ reason: `accessTokenClaims answered ${mistake}`, where: 'host' });
}

function mistakeIn(given: unknown): string | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return 'no object of claims by name';
  }
  const reserved = Object.keys(given).find((name) => RESERVED.has(name));
  if (reserved !== undefined) return `a claim \`${reserved}\`, which is not the host's to set`;
  const bytes = jsonBytes(given);
  if (bytes === null) return 'claims that JSON cannot hold';
  if (bytes <= MAX_HOST_CLAIMS_BYTES) return null;
  return `claims of ${bytes} bytes, and ${MAX_HOST_CLAIMS_BYTES} fit`;
}

function jsonBytes(given: object): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(given));
  } catch {
    return null;
  }
}
