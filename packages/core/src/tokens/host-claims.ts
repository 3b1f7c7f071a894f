import { serverFault } from '../errors.ts';
import { jsonText } from '../json/json-text.ts';

/** Claims of the host: JSON under names that Latchhook does not use. */
export type HostClaims = Readonly<Record<string, unknown>>;

/** The most bytes of the host's claims, as JSON in UTF-8. Limited, because a token is sent with every request. */
export const MAX_HOST_CLAIMS_BYTES = 2_048;

/** Latchhook's claims, and registered claims that verifiers interpret (RFC 7519 4.1, RFC 7800 3.1, RFC 8693 4). */
export type ReservedClaim =
  | 'iss'
  | 'sub'
  | 'aud'
  | 'exp'
  | 'nbf'
  | 'iat'
  | 'jti'
  | 'cnf'
  | 'act'
  | 'may_act'
  | 'client_id'
  | 'scope'
  | 'sid'
  | 'accounts'
  | 'account_id'
  | 'auth_time'
  | 'amr'
  | 'acr';

const RESERVED: Readonly<Record<ReservedClaim, true>> = {
  iss: true,
  sub: true,
  aud: true,
  exp: true,
  nbf: true,
  iat: true,
  jti: true,
  cnf: true,
  act: true,
  may_act: true,
  client_id: true,
  scope: true,
  sid: true,
  accounts: true,
  account_id: true,
  auth_time: true,
  amr: true,
  acr: true,
};

/** No claim under a reserved name, so that the compiler rejects claims that have one. */
export interface UnreservedClaims extends Readonly<Partial<Record<ReservedClaim, never>>> {
  /** Without this, a promise of any claims would be an object without reserved names. */
  readonly then?: never;
}

/** The name of the host's claims in errors. */
const CLAIMS = 'the claims of accessTokenClaims';

/** Shared by all tokens without claims of the host. */
export const NO_HOST_CLAIMS: HostClaims = Object.freeze({});

/**
 * Checks the claims that `accessTokenClaims` has returned, and returns them as they are after JSON. A claim that is
 * undefined is left out; nothing else may be lost in JSON.
 *
 * @throws {AuthError} `server_error`, a fault of the host that names the claim; no value is quoted
 */
export function checkedHostClaims(result: unknown): HostClaims {
  const text = claimsText(result);
  // Checked after conversion to JSON, because `toJSON` may turn an object into something else.
  const claims: unknown = JSON.parse(text);
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw rejected('no object of claims by name');
  }
  const reserved = Object.keys(claims).find((name) => Object.hasOwn(RESERVED, name));
  if (reserved !== undefined) {
    throw rejected(`a claim \`${reserved}\`, which is not the host's to set`);
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_HOST_CLAIMS_BYTES) return claims as HostClaims;
  throw rejected(`claims of ${bytes} bytes, and ${MAX_HOST_CLAIMS_BYTES} fit`);
}

function claimsText(result: unknown): string {
  if (typeof result !== 'object' || result === null) throw rejected('no object of claims by name');
  try {
    return jsonText(withoutUndefined(result), CLAIMS);
  } catch (error) {
    // The errors of `jsonText` begin with `CLAIMS`. An error of a `toJSON` of the host may quote a value.
    const isOurs = error instanceof Error && error.message.startsWith(CLAIMS);
    const reason = isOurs ? error.message : `${CLAIMS} cannot be sent as JSON`;
    throw serverFault({ reason, where: 'host' });
  }
}

/** The claims without undefined ones. An instance of a class is returned unchanged, because it may have a `toJSON`. */
function withoutUndefined(claims: object): object {
  if (Object.getPrototypeOf(claims) !== Object.prototype || 'toJSON' in claims) return claims;
  const entries = Object.entries(claims);
  const defined = entries.filter(([, value]) => value !== undefined);
  return defined.length === entries.length ? claims : Object.fromEntries(defined);
}

function rejected(what: string) {
  return serverFault({ reason: `accessTokenClaims answered ${what}`, where: 'host' });
}
