import type { ClientError } from './client-error.ts';
import type { ClientStorage } from './client-storage.ts';
import type { RequestRoute } from './routes.ts';
import type { SessionState } from './session-state.ts';
import type { AccountId, Session } from './stored-login.ts';

export interface ClientOptions {
  /** Where the routes of Latchhook are mounted: `https://api.example.com/auth`. In a browser it may be a path. */
  readonly baseUrl: string;
  /**
   * `cookie`: the browser keeps the tokens in cookies that no script can read, and the storage holds who is logged in,
   * without secrets. The server needs the option `cookies`. Default: `bearer`.
   */
  readonly mode?: 'bearer' | 'cookie';
  /** Default: `memoryStorage()`; in cookie mode `webStorage()`, so that tabs share the login. */
  readonly storage?: ClientStorage;
  /** Sends all requests. Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Origins in addition to that of `baseUrl` to which `client.fetch` sends the access token or, in cookie mode, the
   * cookies. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

export interface LoginRequest<Id extends AccountId = number> {
  readonly username: string;
  readonly password: string;
  /** Default: `user`. */
  readonly scopes?: readonly string[] | undefined;
  /** Binds the login to one account. Default: all accounts. */
  readonly accountId?: Id | undefined;
}

export type LoginOutcome<Id extends AccountId = number> =
  | { readonly outcome: 'success'; readonly session: Session<Id> }
  | {
      /** The user has a second factor: ask for a code, and pass it to `completeChallenge`. */
      readonly outcome: 'challenge';
      readonly challenge: string;
      /** `totp`, `recovery_code`. */
      readonly methods: readonly string[];
    };

export interface ChallengeRequest {
  readonly challenge: string;
  /** Six digits, or a recovery code. */
  readonly code: string;
  /** Default: the scopes of the login, if this client began it. */
  readonly scopes?: readonly string[] | undefined;
}

export type LogoutOutcome =
  | { readonly outcome: 'success' }
  | {
      /**
       * This client is logged out, but the server was not reached: the session on the server lasts until it expires. In
       * cookie mode the browser keeps the cookies: call `logout` again.
       */
      readonly outcome: 'not_revoked';
      readonly error: ClientError;
    };

/** A client of one API. */
export interface Client<Id extends AccountId = number> {
  /** @throws {ClientError} `invalid_grant` for a wrong password, `too_many_requests`, `network_error` and others */
  login(request: LoginRequest<Id>): Promise<LoginOutcome<Id>>;
  /** @throws {ClientError} `invalid_grant` for a wrong code, and for a challenge that has ended: log in again */
  completeChallenge(request: ChallengeRequest): Promise<LoginOutcome<Id>>;
  /**
   * Logs out all clients that share the storage, and ends the session on the server. In token mode, rejects with the
   * error of the storage, and changes nothing, if the storage cannot be read and no login is in memory.
   */
  logout(): Promise<LogoutOutcome>;
  /**
   * The session of the user who is logged in; null if nobody is. Undefined until the storage is read, and in cookie
   * mode with an empty storage until the server has responded. The same object until the session changes.
   */
  session(): SessionState<Id>;
  /**
   * Calls the listener after each change of `session()`, in any tab.
   *
   * @returns a function that unsubscribes
   */
  subscribe(listener: (session: SessionState<Id>) => void): () => void;
  /**
   * `fetch` with the access token, to the origin of `baseUrl` and to `allowedOrigins`; to other origins, plain `fetch`.
   * Resolves a relative URL against `baseUrl`, as a link would be. Refreshes the token before it expires. If the
   * response is 401 `invalid_token`, refreshes the token and repeats the request once, unless its body is a stream or
   * another user has logged in. A request with the access token carries cookies only if its `credentials` is set: a
   * cookie that remains from cookie mode would be a second credential, which the server rejects.
   *
   * @throws {ClientError} if the token cannot be refreshed for now; the login stays valid
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Calls a route of Latchhook, as its OpenAPI document describes it: `@latchhook/client/openapi` has the types.
   *
   * @throws {ClientError} the route's errors; `network_error`, `invalid_answer`
   *
   * @example
   * ```ts
   * import { createClient } from '@latchhook/client';
   *
   * const client = createClient({ baseUrl: 'https://api.example.com' });
   * const { data } = await client.request('GET /webhooks', { query: { limit: 10 } });
   * await client.request('DELETE /webhooks/{id}', { path: { id: data[0]?.id ?? '' } });
   * ```
   */
  readonly request: RequestRoute<Id>;
  /**
   * Resolves to an access token that is valid for half a minute or more, or for less if the server cannot be reached;
   * to null if logged out.
   *
   * @throws {ClientError} if the token has expired and cannot be refreshed for now; the login stays valid
   * @throws {TypeError} in cookie mode, in which scripts have no token
   */
  getAccessToken(): Promise<string | null>;
}
