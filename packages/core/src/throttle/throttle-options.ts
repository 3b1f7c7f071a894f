/** How failed logins are slowed down. Only failures count; a right password is never counted. Integers from 1. */
export interface ThrottleOptions {
  /** Failures in a row of one identifier (known or not) that lock it. Default: 10. */
  readonly identifierFailures?: number;
  /** How long an identifier is locked the first time, seconds: up to 86,400; doubled each time. Default: 60. */
  readonly lockSeconds?: number;
  /** The longest lock of an identifier, seconds: `lockSeconds` to 86,400. Default: 900, or `lockSeconds` if longer. */
  readonly maxLockSeconds?: number;
  /** Failures in one window that lock an address (an IPv6 /64) for the rest of the window. Default: 100. */
  readonly addressFailures?: number;
  /** The length of the window of an address, seconds: up to 86,400. Default: 600. */
  readonly addressWindowSeconds?: number;
  /**
   * How long an address from which a user has logged in keeps its own count for that user, so that a stranger who keeps
   * an identifier locked does not keep its owner out. Days, up to 365; `memoryStorage` keeps it for 24 at most.
   * Default: 30.
   */
  readonly knownAddressDays?: number;
}
