import * as v from 'valibot';
import type { AccountId, AccountIdKind } from '../account-id.ts';
import { type ClientInfo, canonicalClient, UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import { AuthError } from '../errors.ts';
import { MAX_METHOD_CHARS, MAX_METHODS } from '../grants/authentication-methods.ts';
import type { FinishedLogin } from '../grants/finish-login.ts';
import type { HostGrant, HostRejectionReason, LoginRejectionReason } from '../grants/host-grant.ts';
import { errorResponse } from '../http/error-response.ts';
import type { AuthResponse } from '../http/messages.ts';
import { toAuthError } from '../http/to-auth-error.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { byAccountIdKind } from '../schema/account-id-fields.ts';
import { filledText, integer, listOf, text } from '../schema/basic-fields.ts';
import { checkFields, parseFields } from '../schema/parse-fields.ts';
import type { Scope } from '../scopes/scope.ts';
import { requestedScopes, type ScopeTable } from '../scopes/scope-table.ts';
import { uncheckedFields } from '../unchecked-fields.ts';
import { denied } from '../users/entitlement.ts';
import { loginResponse } from './token-responses.ts';
import { expirationSeconds, versionQuery } from './token-schemas.ts';

/** How the host has authenticated a user, and the fields of the login, as at `POST /token`. */
export interface LoginRequest<Scopes extends string = Scope, Id extends AccountId = number> {
  /**
   * How you have authenticated the user, as the claim `amr` names it (RFC 8176): 1 to 10 names of 1 to 32 letters,
   * digits, `_`, `.` or `-`. For instance `['fed']` for SSO, `['email']` for a link in a mail, `['pop']` for a passkey.
   *
   * Security: if `mfa` is among them, the second factor of the user is not required, and the login may change it. Name
   * `mfa` only if you have checked more than one factor. `otp` means a code of that second factor, so it needs `mfa`
   * too: a code by mail or text message is not one.
   */
  readonly amr: readonly string[];
  /**
   * When the user was authenticated, ms since 1970 by the clock of the process, for `auth_time`: an SSO provider may
   * have done so hours ago. Default: now; a later time counts as now.
   */
  readonly authTimeMs?: number | undefined;
  /** The account that the session is bound to. Required if the user has more than a token can name. Default: none. */
  readonly accountId?: Id | null | undefined;
  /**
   * Scopes that the user is entitled to; `auth`, and others that are `stepUp`, only if `authTimeMs` is at most five
   * minutes ago. After a challenge, the scopes requested with its answer count instead, and are granted for any
   * `authTimeMs`, because the code was checked just now; but a change of a factor still requires a recent `auth_time`.
   * Default: `["user"]`.
   */
  readonly scopes?: readonly Scopes[] | undefined;
  /**
   * Lifetime of the access token, seconds: at least 600, cut to the configured maximum. Default: the configured one.
   */
  readonly expirationSeconds?: number | undefined;
  /** The representation of `response`, and of the answer to a challenge. Default: `v2`. */
  readonly version?: 'v1' | 'v2' | undefined;
  /**
   * Whether the tokens are for cookies: `response.cookies` then has them, and its body has none. Needs the option
   * `cookies` of `createAuth`. Default: `false`.
   *
   * Security: only for requests that you know to come from a page of yours, or from a login at another site that your
   * app has begun: otherwise a stranger could log the user in as somebody else.
   */
  readonly cookies?: boolean | undefined;
}

/**
 * The result of a {@link Login}. `response` is for the client: send its status, headers and body unchanged, and each of
 * its `cookies` as a `Set-Cookie`.
 */
export type LoginOutcome<Scopes extends string = Scope, Id extends AccountId = number> =
  /**
   * A session has begun or, if the user has a second factor, a challenge. `response` equals that of `POST /token`, byte
   * for byte: 200 with the tokens, or 401 with the challenge, and the headers that keep it out of caches.
   */
  | (FinishedLogin<Scopes, Id> & { readonly response: AuthResponse })
  /**
   * Nothing was stored. `response` is that of `POST /token` to the same mistake: 400 `invalid_request`, which names the
   * fields as the client knows them (`account_id`, `scopes`, `expiration_seconds`, `version`), also for
   * `too_many_accounts`; 400 `invalid_scope`, also for `scope_denied`; 403 `access_denied` for `account_denied`; 400
   * `invalid_grant`, the same to the byte, for all others.
   */
  | {
      readonly outcome: 'rejected';
      readonly reason: LoginRejectionReason;
      readonly response: AuthResponse;
    };

/**
 * Logs in a user whom the host has authenticated by its own means, by the same steps as a login by password after the
 * password was right. Looks the user up in the user store, but does not count against the throttle, because nothing is
 * guessed. Call it right after you have authenticated the user, once the proof (the link, the invitation) is used up.
 *
 * Atomicity: the session or the challenge is stored in one transition, which ends the least recently used session if
 * there are more than `maxSessionsPerUser`; then `login.succeeded` or `challenge.created` is emitted, or
 * `login.failed`, each with `actor: 'host'`; nothing for a malformed request. Idempotency: none. Each call begins
 * another session; after a rejection there may be a session whose tokens were never returned.
 *
 * Concurrency: a `revokeAll` that comes while the call is pending rejects it (`revoked_meanwhile`).
 *
 * `client`: who sent the request, for the list of sessions and for events.
 *
 * @throws {AuthError} `temporarily_unavailable`: the storage or the user store does not answer; `server_error`: a
 * malformed user, or a factor that no key decrypts
 * @throws {TypeError} for a mistake of yours, which it names: `userId`, `amr`, `authTimeMs`, `cookies`, `client`, or an
 * unknown field
 *
 * @example
 * ```ts
 * import type { Auth } from '@latchhook/core';
 *
 * declare const auth: Auth;
 * declare function answer(status: number, headers: object, body: string): void;
 *
 * const login = await auth.login('user-7', { amr: ['email'] });
 * if (login.outcome === 'rejected') console.warn(login.reason);
 * answer(login.response.status, login.response.headers, login.response.body);
 * ```
 */
export type Login<Scopes extends string = Scope, Id extends AccountId = number> = (
  userId: string,
  request: LoginRequest<Scopes, Id>,
  client?: ClientInfo,
) => Promise<LoginOutcome<Scopes, Id>>;

const method = v.pipe(
  text,
  v.check(
    (name) => /^[\w.-]+$/.test(name) && name.length <= MAX_METHOD_CHARS,
    `must be names of 1 to ${MAX_METHOD_CHARS} letters, digits, \`_\`, \`.\` or \`-\``,
  ),
);

/** Fields that only the host's own code sets: their mistakes throw. */
const authenticationFields = v.object({
  userId: filledText,
  request: v.strictObject({
    amr: v.pipe(
      listOf(method),
      v.minLength(1, 'must not be empty'),
      v.maxLength(MAX_METHODS, `must be ${MAX_METHODS} names at most`),
      v.check(
        (names) => !names.includes('otp') || names.includes('mfa'),
        'must have `mfa` beside `otp`, which is a code of the second factor',
      ),
    ),
    authTimeMs: v.optional(v.pipe(integer, v.minValue(0, 'must not be negative'))),
  }),
  client: v.pipe(
    v.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object'),
    v.object({ clientAddress: v.nullish(text, null), userAgent: v.nullish(text, null) }),
  ),
});

/** Fields that the host may pass on from clients, by the names that clients use: their mistakes are rejections. */
const clientFields = byAccountIdKind((ids) =>
  v.object({
    account_id: v.nullish(ids.boundAccount('The account of the session.'), null),
    scopes: v.optional(listOf(text)),
    expiration_seconds: expirationSeconds,
  }),
);

/** Makes `auth.login`. Faults are emitted as for requests of clients. */
export function createHostLogin(
  hostGrant: HostGrant,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
  emit: (event: SecurityEvent) => void,
  cookies?: SessionCookies,
): Login<Scope, AccountId> {
  return async (userId, request, client = UNKNOWN_CLIENT) => {
    const fields = uncheckedFields<LoginRequest<Scope, AccountId>>(request);
    const { accountId, scopes, expirationSeconds, version, ...others } = fields;
    const { cookies: inCookies = false, ...authentication } = others;
    const requestedCookies = cookiesFor(inCookies, cookies);
    const authenticatedBy = readAuthentication({ userId, request: authentication, client });
    try {
      // In the order of `POST /token`: the query first, the scopes last.
      const query = parseFields(versionQuery('v2'), { version });
      const body = parseFields(clientFields[accountIdKind], {
        account_id: accountId,
        scopes,
        expiration_seconds: expirationSeconds,
      });
      const login = await hostGrant({
        ...authenticatedBy,
        accountId: body.account_id,
        scopes: requestedScopes(body, scopeTable) ?? ['user'],
        expirationSeconds: body.expiration_seconds,
        version: query.version,
        maxTokenChars: requestedCookies?.maxTokenChars,
      });
      if (login.outcome !== 'rejected') {
        return { ...login, response: loginResponse(login, query.version, requestedCookies) };
      }
      return { ...login, response: errorResponse(rejectionOf(login.reason)) };
    } catch (error) {
      const rejection = toAuthError(error, emit);
      const { code } = rejection;
      if (code !== 'invalid_request' && code !== 'invalid_scope') throw rejection;
      return { outcome: 'rejected', reason: code, response: errorResponse(rejection) };
    }
  };
}

/** @throws {TypeError} if `inCookies` is not a boolean, or if it is true and `cookies` is missing */
function cookiesFor(
  inCookies: unknown,
  cookies: SessionCookies | undefined,
): SessionCookies | undefined {
  if (typeof inCookies !== 'boolean') throw new TypeError('auth.login: cookies must be a boolean');
  if (inCookies && cookies === undefined) {
    throw new TypeError('auth.login: cookies needs createAuth({ cookies: true })');
  }
  return inCookies ? cookies : undefined;
}

/** @throws {TypeError} which names the mistakes; values are not echoed */
function readAuthentication(fields: Readonly<Record<string, unknown>>) {
  const check = checkFields(authenticationFields, fields);
  if (check.outcome === 'rejected') {
    const mistakes = check.fields.map(({ field, message }) => `${field} ${message}`);
    throw new TypeError(`auth.login: ${mistakes.join('; ')}`);
  }
  const { userId, request, client } = check.values;
  const { amr, authTimeMs } = request;
  return { userId, amr, authTimeMs, client: canonicalClient(client) };
}

/** All other reasons have one error, as at `POST /token`: clients do not learn if a user is unknown or disabled. */
function rejectionOf(reason: HostRejectionReason): AuthError {
  switch (reason) {
    case 'account_denied':
    case 'scope_denied':
    case 'too_many_accounts':
      return denied(reason);
    default:
      return new AuthError('invalid_grant', 'The login was rejected.');
  }
}
