import type { ClientError } from './client-error.ts';
import type { ClientStorage } from './client-storage.ts';
import type { SessionState } from './login-store.ts';
import type { RequestRoute } from './routes.ts';
import type { Session } from './stored-login.ts';

export interface ClientOptions {
  /** Where the routes of Latchhook are mounted: `https://api.example.com/auth`. In a browser it may be a path. */
  readonly baseUrl: string;
  /** Default: `memoryStorage()`. */
  readonly storage?: ClientStorage;
  /** Sends all requests. Default: that of the platform. */
  readonly fetch?: typeof globalThis.fetch;
  /** Origins, besides that of `baseUrl`, to which `client.fetch` sends the access token. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

export interface LoginRequest {
  readonly username: string;
  readonly password: string;
  /** Default: `user`. */
  readonly scopes?: readonly string[];
  /** The one account that the login is for. Default: all of the user's. */
  readonly accountId?: number;
}

export type LoginOutcome =
  | { readonly outcome: 'success'; readonly session: Session }
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
      /** This client is logged out; but the server was not reached, where the session goes on until it expires. */
      readonly outcome: 'not_revoked';
      readonly error: ClientError;
    };

/** A client of one API. */
export interface Client {
  /** @throws {ClientError} `invalid_grant` for a wrong password, `too_many_requests`, `network_error` and others */
  login(request: LoginRequest): Promise<LoginOutcome>;
  /** @throws {ClientError} `invalid_grant` for a wrong code, and for a challenge that has ended: begin again */
  completeChallenge(request: ChallengeRequest): Promise<LoginOutcome>;
  /** Logs out in all that share the storage, and ends the session on the server. */
  logout(): Promise<LogoutOutcome>;
  /**
   * Who is logged in: null for nobody, undefined while the storage is read for the first time. The same object until it
   * changes.
   */
  session(): SessionState;
  /**
   * Calls the listener after each change of `session()`, whichever tab made it.
   *
   * @returns what ends that
   */
  subscribe(listener: (session: SessionState) => void): () => void;
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
   * @throws {ClientError} whatever it refuses with; `network_error`
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
  readonly request: RequestRoute;
  /**
   * The access token, good for half a minute unless the server cannot be asked; null if logged out.
   *
   * @throws {ClientError} where it has expired and cannot be refreshed for now; the login goes on
   */
  getAccessToken(): Promise<string | null>;
}
