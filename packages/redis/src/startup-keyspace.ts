/** Keys that belong to no user. Each is in its own slot. */
export interface StartupKeys {
  /** Sorted set: `<instance id> <configuration>`, scored by when the instance expires (ms). */
  readonly instances: string;
  /** String: written to test whether Redis accepts writes. */
  readonly ping: string;
  /** String: the number of partitions of webhooks. */
  readonly partitions: string;
  /** A key of any type: the readiness probe tries every command of the scripts on it. */
  readonly probe: string;
}

export function startupKeys(prefix: string): StartupKeys {
  return {
    instances: `${prefix}:instances`,
    ping: `${prefix}:ping`,
    partitions: `${prefix}:partitions`,
    probe: `${prefix}:probe`,
  };
}
