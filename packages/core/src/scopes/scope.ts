/** The scopes that every app has, in the order in which a token's `scope` lists them. */
export const SCOPES = ['user', 'admin', 'internal', 'auth'] as const;

/**
 * What a token may be used for: `user` acts as the user, and ends their sessions; `admin` manages an account,
 * `internal` is for service operations, `auth` changes credentials and factors (600 s at most, dropped at refresh).
 */
export type Scope = (typeof SCOPES)[number];

/** The properties of one of an app's scopes. */
export interface ScopeType {
  /** A sentence for those who write clients. */
  readonly description?: string;
  /**
   * Whether every use of a token with this scope asks the storage if its session is live. Then a revocation takes
   * effect on your routes immediately, not at the expiry of the token. `admin` is `sensitive`. Default: `false`.
   */
  readonly sensitive?: boolean;
  /**
   * Whether the scope is only for the minutes after a login. A refresh drops it, and no personal access token has it.
   * `auth.login` grants it only within five minutes after the user was authenticated. Tokens with it live at most
   * 600 s. `auth` is `stepUp` and `sensitive`. Default: `false`.
   */
  readonly stepUp?: boolean;
}

/** The scopes that an app adds, by name. The type of a built-in name is the text of a compiler error, and no value. */
export type ScopeTypes<Scopes extends string = string> = {
  readonly [Name in Scopes]?: Name extends Scope ? `every app has the scope ${Name}` : ScopeType;
};
