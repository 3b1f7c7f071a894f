import { ClientError } from './client-error.ts';

/** The id of an account. */
export type AccountId = number | string;

/** Who is logged in. */
export interface Session<Id extends AccountId = number> {
  readonly userId: string;
  /** The scopes of the access token. A refresh drops `auth` and the scopes that the user has lost. */
  readonly scopes: readonly string[];
  /** Ids of all accounts that the user can access. */
  readonly accounts: readonly Id[];
}

/** A login in the storage; in cookie mode without tokens. */
export interface StoredLogin {
  /** A random number that identifies one login or refresh. */
  readonly stamp: number;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** When the access token was received, by the clock of the device. */
  readonly receivedAtMs: number;
  /** How long the access token was valid when it was received. */
  readonly expiresInSeconds: number;
  readonly session: Session<AccountId>;
}

/** The response to a login or a refresh: with tokens; in cookie mode with `sub` instead. */
export interface TokenResponse {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly sub?: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly accounts: readonly AccountId[];
}

/** @throws {ClientError} `invalid_answer` if the response is not from Latchhook, or is for the other mode */
export function loginOf(response: TokenResponse, cookieMode?: boolean): StoredLogin {
  const { sub, access_token: accessToken = '', refresh_token: refreshToken = '' } = response;
  try {
    const userId = cookieMode ? sub : refreshToken && subjectOf(accessToken);
    if (!userId) throw new TypeError('no user');
    return {
      stamp: Math.random(),
      ...(!cookieMode && { accessToken, refreshToken }),
      receivedAtMs: Date.now(),
      expiresInSeconds: response.expires_in,
      session: {
        userId,
        scopes: response.scope.split(' '),
        accounts: response.accounts,
      },
    };
  } catch (error) {
    const missing = cookieMode ? 'cookies' : 'tokens';
    throw new ClientError(`The server sent no ${missing}.`, { code: 'invalid_answer' }, error);
  }
}

/** @returns null if the text is not a login, or a login without tokens outside of cookie mode */
export function parseLogin(text?: string | null, cookieMode?: boolean): StoredLogin | null {
  try {
    const login: StoredLogin | null = JSON.parse(text ?? 'null');
    return login?.stamp && login.session && (cookieMode || login.accessToken) ? login : null;
  } catch {
    return null;
  }
}

/** The `sub` of an access token. The token came from its issuer, so its signature need not be verified. */
function subjectOf(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.');
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  // UTF-8 is decoded by way of percent-encoding because `TextDecoder` is missing on some versions of React Native.
  const escaped = bytes.replace(
    /\W/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return JSON.parse(decodeURIComponent(escaped)).sub;
}
