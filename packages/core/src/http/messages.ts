/** What a host hands to {@link HttpRoutes.handle}: plain data, so that any framework can make one. */
export interface AuthRequest {
  readonly method: string;
  /** Path below the mount, percent-encoded as it came: `/token`. */
  readonly path: string;
  /** The part of the URL's path before `path`: `""` or `/auth`. */
  readonly mountPath: string;
  /** The query as it came, without `?`; empty where there is none. */
  readonly query: string;
  /** Lower-cased names, as Node's `IncomingMessage.headers`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * The `Authorization` header, for the routes that ask for a token: by {@link soleAuthorization} in Node.
   *
   * Security: if several came, all of them, joined by commas. Node's `headers` has only the first, and a proxy in front
   * may have checked another.
   */
  readonly authorization: string | undefined;
  readonly body: RequestBody;
  /**
   * The client's address, as the framework reports it (its own proxy trust applied): with or without port, brackets,
   * quotes and zone. What is no single IP address counts as one address; `undefined`: there is none.
   */
  readonly remoteAddress: string | undefined;
}

/** The body, in the state in which the host left it. */
export type RequestBody =
  | { readonly kind: 'none' }
  /** Parsed by the host's own JSON or form parser. */
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

/**
 * `consumed`: something has read it before us, and left nothing. `too_large`, `timeout`, `aborted`: given up while
 * reading.
 */
export type UnreadableReason = 'consumed' | 'too_large' | 'timeout' | 'aborted';

/** What the host sends back, byte for byte. */
export interface AuthResponse {
  readonly status: number;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, each for a header of its own, in addition to those that the host has set. Absent: none. */
  readonly cookies?: readonly string[];
  readonly body: string;
}
