import { ClientError } from './client-error.ts';

/** The id of an account. */
export type AccountId = number | string;

/** Who is logged in. */
export interface Session<Id extends AccountId = number> {
  readonly userId: string;
  /** The scopes of the access token. A refresh drops `auth` and those that the user has lost. */
  readonly scopes: readonly string[];
  /** Ids of all accounts that the user can access. */
  readonly accounts: readonly Id[];
}

/** A login as it is stored; in cookie mode without tokens. */
export interface StoredLogin {
  /** A random number, to tell one refresh from another. */
  readonly stamp: number;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** When the access token was received, by the clock of the device. */
  readonly receivedAtMs: number;
  /** How long the access token was valid when it was received. */
  readonly expiresInSeconds: number;
  readonly session: Session<AccountId>;
}

/** The response to a login or a refresh: with tokens, or with `sub` in cookie mode. */
export interface TokenAnswer {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly sub?: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly accounts: readonly AccountId[];
}

/** @throws {ClientError} `invalid_answer` if it is not the server's, or for the other mode */
export function loginOf(answer: TokenAnswer, inCookies: boolean = false): StoredLogin {
  const { sub, access_token: accessToken, refresh_token: refreshToken } = answer;
  try {
    return {
      stamp: Math.random(),
      ...(!inCookies && { accessToken: given(accessToken), refreshToken: given(refreshToken) }),
      receivedAtMs: Date.now(),
      expiresInSeconds: answer.expires_in,
      session: {
        userId: inCookies ? given(sub) : subjectOf(given(accessToken)),
        scopes: answer.scope.split(' '),
        accounts: answer.accounts,
      },
    };
  } catch (error) {
    const missing = inCookies ? 'set no cookies' : 'answered no tokens';
    throw new ClientError(`The server ${missing}.`, { code: 'invalid_answer' }, error);
  }
}

function given(field: string | undefined): string {
  if (field === undefined) throw new TypeError('That is an answer for the other mode.');
  return field;
}

/** Null if it is not a login: empty, another value, or one with tokens in cookies. */
export function parseLogin(text: string | null, inCookies: boolean): StoredLogin | null {
  try {
    const login: StoredLogin | null = JSON.parse(text ?? 'null');
    return login?.stamp && login.session && (inCookies || login.accessToken) ? login : null;
  } catch {
    return null;
  }
}

/** The `sub` of an access token. It was received from its issuer, and so needs no verification. */
function subjectOf(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.');
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  const escaped = Array.from(
    bytes,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return JSON.parse(decodeURIComponent(escaped.join(''))).sub;
}
