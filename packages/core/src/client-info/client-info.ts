/** Who sent a request, as far as the host knows: the fields of its client in events and in the list of sessions. */
export interface ClientInfo {
  /**
   * The IP address that the framework reports, in canonical form: `192.0.2.1`, `2001:db8::1`, without port and zone;
   * `unknown` if it reports something that is no IP address; `null` if it reports nothing. Hosts may pass any spelling.
   */
  readonly clientAddress: string | null;
  /** What the client calls itself, cut to 256 characters, without control characters. */
  readonly userAgent: string | null;
}

/** For calls by the host's own code that name no client. */
export const UNKNOWN_CLIENT: ClientInfo = { clientAddress: null, userAgent: null };
