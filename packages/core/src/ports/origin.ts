/** Where a request came from, as far as the host told. */
export interface Origin {
  /** As the framework tells it. */
  readonly clientAddress: string | null;
  /** As the client calls itself, cut to 256 characters, without control characters. */
  readonly userAgent: string | null;
}

/** Of what the host's own code does without saying for whom. */
export const NOWHERE: Origin = { clientAddress: null, userAgent: null };
