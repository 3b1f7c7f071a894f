import { ClientError } from './client-error.ts';

/** Names an account, as the server is configured. */
export type AccountId = number | string;

/** Who is logged in, and as what. */
export interface Session<Id extends AccountId = number> {
  readonly userId: string;
  /** What the access token may be used for. A refresh drops `auth`, and what the user has lost since. */
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
  /** How long the access token was good for when it was received. */
  readonly expiresInSeconds: number;
  readonly session: Session<AccountId>;
}

/** The answer to a login or a refresh: with tokens, or with `sub` where those are in cookies. */
export interface TokenAnswer {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly sub?: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly accounts: readonly AccountId[];
}

/** @throws {ClientError} `invalid_answer` where that is no answer of the server's, or one for the other mode */
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

/** Null where that is no login: nothing, something else under the same key, or one whose tokens are in cookies. */
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
