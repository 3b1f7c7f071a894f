import type { AccountId, AccountIdKind } from '../account-id.ts';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { LONGEST_AMR } from '../grants/authentication-methods.ts';
import { createTokenFits } from '../grants/token-fits.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { ACCESS_TOKEN_MAX_LENGTH } from '../tokens/access-token.ts';
import { MAX_HOST_CLAIMS_BYTES } from '../tokens/host-claims.ts';
import type { TokenIdentity } from '../tokens/issue-access-token.ts';
import { MAX_USER_ID_BYTES } from '../users/guarded-users.ts';

/** JSON writes each of these bytes in six characters. */
const LONGEST_USER_ID = '\u0001'.repeat(MAX_USER_ID_BYTES);
/** JSON writes each character of the string in two. */
const LONGEST_ACCOUNTS: Readonly<Record<AccountIdKind, AccountId>> = {
  integer: Number.MIN_SAFE_INTEGER,
  string: '"'.repeat(64),
};

/**
 * Rejects an issuer, audience and client id that are too long together: even a token that is bound to one account would
 * be too long, so that nobody, or nobody with a long id, could log in.
 *
 * @throws {ConfigError} `issuer_invalid`, `audience_invalid` or `client_id_invalid`, for the longest of these
 */
export function assertTokensFit(
  identity: TokenIdentity,
  keys: SigningKeys,
  clock: Clock,
  {
    scopeTable,
    accountIdKind,
    hasHostClaims,
  }: {
    readonly scopeTable: ScopeTable;
    readonly accountIdKind: AccountIdKind;
    readonly hasHostClaims: boolean;
  },
): void {
  const longestAccount = LONGEST_ACCOUNTS[accountIdKind];
  const fits = createTokenFits(keys, identity, clock);
  const longest = {
    user: { id: LONGEST_USER_ID, passwordHash: null, accounts: [longestAccount] },
    scopes: scopeTable.names,
    accountId: longestAccount,
    amr: LONGEST_AMR,
    authTimeMs: clock.nowMs(),
    claims: hasHostClaims ? { c: 'x'.repeat(MAX_HOST_CLAIMS_BYTES - '{"c":""}'.length) } : {},
  };
  if (fits(longest)) return;
  const { name, code } = longestOf(identity);
  throw new ConfigError(
    code,
    `${name} is so long that access tokens would exceed ${ACCESS_TOKEN_MAX_LENGTH} characters. Shorten it.`,
  );
}

function longestOf({ issuer, audience, clientId }: TokenIdentity): {
  readonly name: string;
  readonly code: ConfigErrorCode;
} {
  const maxLength = Math.max(issuer.length, audience.length, clientId.length);
  // Without an audience option, the audience is the issuer, and only the issuer can be shortened.
  if (issuer.length === maxLength) return { name: 'issuer', code: 'issuer_invalid' };
  if (audience.length === maxLength) return { name: 'audience', code: 'audience_invalid' };
  return { name: 'clientId', code: 'client_id_invalid' };
}
