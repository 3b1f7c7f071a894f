import { ClientError } from './client-error.ts';

/** Who is logged in, and as what. */
export interface Session {
  readonly userId: string;
  /** What the access token may be used for. A refresh drops `auth`, and what the user has lost since. */
  readonly scopes: readonly string[];
  /** Ids of all accounts that the user can access. */
  readonly accounts: readonly number[];
}

/** A login as it is stored. */
export interface StoredLogin {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token was received, by the clock of the device. */
  readonly receivedAtMs: number;
  /** How long the access token was good for when it was received. */
  readonly expiresInSeconds: number;
  readonly session: Session;
}

/** The answer to a login or a refresh. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly accounts: readonly number[];
}

/** @throws {ClientError} `invalid_answer` where that is no answer of the server's */
export function loginOf(answer: TokenAnswer): StoredLogin {
  try {
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      receivedAtMs: Date.now(),
      expiresInSeconds: answer.expires_in,
      session: {
        userId: subjectOf(answer.access_token),
        scopes: answer.scope.split(' '),
        accounts: answer.accounts,
      },
    };
  } catch (error) {
    throw new ClientError('The server answered no tokens.', { code: 'invalid_answer' }, error);
  }
}

/** Null where that is no login: nothing, or something else under the same key. */
export function parseLogin(text: string | null): StoredLogin | null {
  try {
    const login: StoredLogin | null = JSON.parse(text ?? 'null');
    return login?.refreshToken && login.session ? login : null;
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
