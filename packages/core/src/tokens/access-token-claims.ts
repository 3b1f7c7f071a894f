import type { JWTPayload } from 'jose';
import { type AccountIdKind, isAccountId } from '../account-id.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { AccessTokenInfo } from './access-token-info.ts';

/** Who issues access tokens, and for whom: `iss` and `aud`. */
export interface TokenAuthority {
  readonly issuer: string;
  readonly audience: string;
}

/** A token that lacks any of these is rejected, even with a valid signature (RFC 9068 2.2, and Latchhook's claims). */
export const REQUIRED_CLAIMS = [
  'iss',
  'aud',
  'sub',
  'exp',
  'iat',
  'jti',
  'client_id',
  'scope',
  'sid',
  'accounts',
  'auth_time',
  'amr',
] as const;

/** Writes a token's content as claims. Times are cut to whole seconds. */
export function toClaims(info: AccessTokenInfo, authority: TokenAuthority): JWTPayload {
  return {
    // First, so that Latchhook's claims overwrite claims of the same name.
    ...info.claims,
    iss: authority.issuer,
    aud: authority.audience,
    sub: info.userId,
    exp: toSeconds(info.expiresAtMs),
    iat: toSeconds(info.issuedAtMs),
    jti: info.tokenId,
    client_id: info.clientId,
    scope: info.scopes.join(' '),
    sid: info.sessionId,
    accounts: info.accounts,
    // JSON leaves out what is undefined.
    account_id: info.accountId ?? undefined,
    auth_time: toSeconds(info.authTimeMs),
    amr: info.amr,
  };
}

/**
 * Reads claims back; `undefined` if a claim is missing or of the wrong type. `verifyAccessToken` checks `iss`, `aud`
 * and the times. Scopes that are not in the table are left out, because they can grant nothing.
 *
 * Security: the result is frozen, because all requests with the same token share it.
 */
export function fromClaims(
  payload: JWTPayload,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
): AccessTokenInfo | undefined {
  const isAccount = (value: unknown) => isAccountId(accountIdKind, value);

  const {
    sub,
    jti,
    iat,
    exp,
    client_id,
    scope,
    sid,
    accounts,
    account_id,
    auth_time,
    amr,
    ...rest
  } = payload as Readonly<Record<string, unknown>>;
  const { iss, aud, ...claims } = rest;
  if (!isText(sub) || !isText(jti) || !isText(client_id) || !isText(sid)) return undefined;
  if (!isInteger(iat) || !isInteger(exp) || !isInteger(auth_time)) return undefined;
  if (!isArrayOf(accounts, isAccount) || !isArrayOf(amr, isText)) return undefined;
  if (account_id !== undefined && !isAccount(account_id)) return undefined;
  if (!isText(scope)) return undefined;
  const scopes = scopeTable.canonical(scope.split(' '));
  if (scopes.length === 0) return undefined;
  return Object.freeze({
    credential: 'access_token',
    userId: sub,
    scopes: Object.freeze(scopes),
    accounts: Object.freeze(accounts),
    accountId: account_id ?? null,
    sessionId: sid,
    clientId: client_id,
    tokenId: jti,
    issuedAtMs: iat * 1000,
    expiresAtMs: exp * 1000,
    authTimeMs: auth_time * 1000,
    amr: Object.freeze(amr),
    claims: deepFreeze(claims),
  });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isArrayOf<T>(
  value: unknown,
  isMember: (member: unknown) => member is T,
): value is readonly T[] {
  return Array.isArray(value) && value.every(isMember);
}
