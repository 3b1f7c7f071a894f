/** Where the time comes from. Tests turn it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
