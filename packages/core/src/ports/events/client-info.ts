/** Who sent a request, as far as the host knows: the fields of its client in events and in the list of sessions. */
export interface ClientInfo {
  /** What the framework says it is. */
  readonly clientAddress: string | null;
  /** What the client calls itself, cut to 256 characters, without control characters. */
  readonly userAgent: string | null;
}

/** For calls of the host's own code that do not say for which client. */
export const UNKNOWN_CLIENT: ClientInfo = { clientAddress: null, userAgent: null };
