/** Keys that belong to no user: each is in its own slot. */
export interface StartupKeys {
  /** Sorted set: `<instance id> <configuration>` by the time at which it is forgotten (ms). */
  readonly instances: string;
  /** String: written to find out whether Redis takes writes. */
  readonly ping: string;
  /** String: over how many partitions webhooks are spread. */
  readonly partitions: string;
  /** Of no type for long: every command that the scripts call is tried on it. */
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
