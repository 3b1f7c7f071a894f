/** The request that a host passes to {@link HttpRoutes.handle}: plain data, so that any framework can make one. */
export interface AuthRequest {
  readonly method: string;
  /** The path below the mount, percent-encoded as received: `/token`. */
  readonly path: string;
  /** The part of the URL's path before `path`: `""` or `/auth`. */
  readonly mountPath: string;
  /** The query as received, without `?`; empty if there is none. */
  readonly query: string;
  /** By lower-cased names, like Node's `IncomingMessage.headers`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * The `Authorization` header, for the routes that require a token. In Node, use {@link soleAuthorization}.
   *
   * Security: if the request has several `Authorization` headers, pass all of them, joined by commas. Node's `headers`
   * has only the first, and a proxy may have checked another.
   */
  readonly authorization: string | undefined;
  readonly body: RequestBody;
  /**
   * The client's address, as the framework reports it by its setting of trusted proxies: with or without port,
   * brackets, quotes and zone. All values that are not a single IP address count as one address. `undefined`: the
   * address is not known.
   */
  readonly remoteAddress: string | undefined;
}

/** The body of a request, whether or not the host has read it. */
export type RequestBody =
  | { readonly kind: 'none' }
  /** Parsed by the host's own JSON or form parser. */
  | { readonly kind: 'parsed'; readonly value: unknown }
  /** Not parsed yet. */
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

/**
 * `consumed`: code of the host has read the body and not kept it. `too_large`, `timeout`, `aborted`: Latchhook has
 * stopped reading.
 */
export type UnreadableReason = 'consumed' | 'too_large' | 'timeout' | 'aborted';

/** The response, which the host sends unchanged. */
export interface AuthResponse {
  readonly status: number;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`: a header for each, in addition to those that the host has set. Absent: none. */
  readonly cookies?: readonly string[];
  readonly body: string;
}
