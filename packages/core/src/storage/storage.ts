import type { ChallengeStore } from './challenge-store.ts';
import type { LimiterFactory } from './limiter.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Everything that Latchhook keeps. Both stores share one place, since completing a challenge starts a
 * session in the same transition.
 */
export interface Storage {
  /** Said in warnings and events: `memory`, `redis` ... */
  readonly name: string;
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  /** Counters that login throttling shares between processes. Absent: each process counts alone. */
  readonly limiters?: LimiterFactory;
}
