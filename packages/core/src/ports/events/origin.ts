/** Where a request came from, as far as the host says. */
export interface Origin {
  /** What the framework says it is. */
  readonly clientAddress: string | null;
  /** What the client calls itself, cut to 256 characters, without control characters. */
  readonly userAgent: string | null;
}

/** For calls of the host's own code that do not say for whom. */
export const NOWHERE: Origin = { clientAddress: null, userAgent: null };
