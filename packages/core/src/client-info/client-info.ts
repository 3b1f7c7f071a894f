/** The client of a request, as far as the host knows it. Events and the list of sessions have both fields. */
export interface ClientInfo {
  /**
   * The IP address that the framework reports, in canonical form (`192.0.2.1`, `2001:db8::1`), without port and zone;
   * `unknown` if the framework reports something that is no IP address; `null` if it reports nothing. Hosts may pass
   * any spelling.
   */
  readonly clientAddress: string | null;
  /** The `User-Agent` of the client, cut to 256 characters, without control characters. */
  readonly userAgent: string | null;
}

/** The client of a call by the host's own code that names none. */
export const UNKNOWN_CLIENT: ClientInfo = { clientAddress: null, userAgent: null };
