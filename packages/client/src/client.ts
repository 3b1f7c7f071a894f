import type { ClientError } from './client-error.ts';
import type { ClientStorage } from './client-storage.ts';
import type { SessionState } from './login-store.ts';
import type { RequestRoute } from './routes.ts';
import type { AccountId, Session } from './stored-login.ts';

export interface ClientOptions {
  /** Where the routes of Latchhook are mounted: `https://api.example.com/auth`. In a browser it may be a path. */
  readonly baseUrl: string;
  /**
   * `cookie`: the browser keeps the tokens in cookies that no script can read, for which the server needs the option
   * `cookies`; the storage then holds who is logged in, and no secret. Default: `bearer`.
   */
  readonly mode?: 'bearer' | 'cookie';
  /** Default: `memoryStorage()`; in cookie mode `webStorage()`, so that tabs share it. */
  readonly storage?: ClientStorage;
  /** Sends all requests. Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Origins, besides that of `baseUrl`, to which `client.fetch` sends the access token, or asks for cookies. Default:
   * none.
   */
  readonly allowedOrigins?: readonly string[];
}

export interface LoginRequest<Id extends AccountId = number> {
  readonly username: string;
  readonly password: string;
  /** Default: `user`. */
  readonly scopes?: readonly string[];
  /** Binds the login to one account. Default: all accounts. */
  readonly accountId?: Id;
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
  /** Default: those of the login, if this client began it. */
  readonly scopes?: readonly string[];
}

export type LogoutOutcome =
  | { readonly outcome: 'success' }
  | {
      /**
       * This client is logged out, but the server was not reached: its session lasts until it expires. In cookie mode
       * the browser keeps the cookies: call `logout` again.
       */
      readonly outcome: 'not_revoked';
      readonly error: ClientError;
    };

/** A client of one API. */
export interface Client<Id extends AccountId = number> {
  /** @throws {ClientError} `invalid_grant` for a wrong password, `too_many_requests`, `network_error` and others */
  login(request: LoginRequest<Id>): Promise<LoginOutcome<Id>>;
  /** @throws {ClientError} `invalid_grant` for a wrong code, and for a challenge that has ended: begin again */
  completeChallenge(request: ChallengeRequest): Promise<LoginOutcome<Id>>;
  /** Logs out all clients of the storage, and ends the session on the server. */
  logout(): Promise<LogoutOutcome>;
  /**
   * Who is logged in: null for nobody, undefined until the storage was read and, in cookie mode, the server was asked
   * if it was empty. The same object until it changes.
   */
  session(): SessionState<Id>;
  /**
   * Calls the listener after each change of `session()`, in any tab.
   *
   * @returns a function that unsubscribes
   */
  subscribe(listener: (session: SessionState<Id>) => void): () => void;
  /**
   * `fetch` with the access token, to the origin of `baseUrl` and to `allowedOrigins`; to others it is plain `fetch`. A
   * relative URL is resolved against `baseUrl`, as a link would be. Refreshes ahead of expiry, and once where the
   * answer is 401 `invalid_token`. Repeats the request then, unless its body is a stream or somebody else has logged
   * in.
   *
   * @throws {ClientError} where the token cannot be refreshed for now; the login goes on
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Asks a route of Latchhook, as its OpenAPI document describes it: `@latchhook/client/openapi` has the types.
   *
   * @throws {ClientError} the route's errors; `network_error`
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
   * The access token, good for half a minute unless the server cannot be asked; null if logged out.
   *
   * @throws {ClientError} where it has expired and cannot be refreshed for now; the login goes on
   * @throws {TypeError} in cookie mode, where scripts have none
   */
  getAccessToken(): Promise<string | null>;
}
