import type { ChallengeStore } from './challenge-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { LimiterFactory } from './limiter.ts';
import type { MfaStore } from './mfa-store.ts';
import type { PersonalAccessTokenStore } from './personal-access-token-store.ts';
import type { SessionStore } from './session-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/**
 * Everything that Latchhook stores. Sessions and challenges must be in one store, because completing a challenge starts
 * a session in the same transition; so must webhooks and their deliveries. `ofOneStore` marks the parts of one store.
 */
export interface Storage {
  /** The name in warnings and events, such as `memory` or `redis`. */
  readonly name: string;
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  /**
   * Counters that processes share: of failed logins, enrolments, pings and resends. Absent: each process counts by
   * itself, so the limits apply to each process instead of all processes together.
   */
  readonly limiters?: LimiterFactory;
  /** Webhooks. They must be in one store with `deliveries`. Both are required with the option `webhooks`. */
  readonly webhooks?: WebhookStore;
  readonly deliveries?: DeliveryStore;
  /** Personal access tokens. Required if users may create them. */
  readonly personalAccessTokens?: PersonalAccessTokenStore;
  /**
   * Second factors. Required if users enrol them here, and not in the host's own table. If present, every login of a
   * user without `User.mfa` reads this store.
   */
  readonly mfa?: MfaStore;
}

/** The parts of a storage. */
export type StorageName = Exclude<keyof Storage, 'name'>;

/** The parts that a storage needs for webhooks. */
export type WebhookStores = Required<Pick<Storage, 'webhooks' | 'deliveries'>>;
