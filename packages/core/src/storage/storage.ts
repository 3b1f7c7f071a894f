import type { ChallengeStore } from './challenge-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { LimiterFactory } from './limiter.ts';
import type { MfaStore } from './mfa-store.ts';
import type { PersonalAccessTokenStore } from './personal-access-token-store.ts';
import type { SessionStore } from './session-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/**
 * Everything that Latchhook keeps. Sessions and challenges share one place, since completing a challenge starts a
 * session in the same transition; so do webhooks and their deliveries. `ofOneStore` says which parts are of one store.
 */
export interface Storage {
  /** Named in warnings and events: `memory`, `redis` ... */
  readonly name: string;
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  /**
   * Counters that processes share: of failed logins, of enrolments, of pings and of resends. Absent: each process
   * counts alone, and so allows as much as all of them together should.
   */
  readonly limiters?: LimiterFactory;
  /** Webhooks and their deliveries, which share one place too. Needed where the option `webhooks` is given. */
  readonly webhooks?: WebhookStore;
  readonly deliveries?: DeliveryStore;
  /** Personal access tokens. Needed where users may make them. */
  readonly personalAccessTokens?: PersonalAccessTokenStore;
  /**
   * Second factors. Needed where users enrol them here, and not in the host's own table. If it is there, every login of
   * a user without `User.mfa` asks it.
   */
  readonly mfa?: MfaStore;
}

/** The parts of a storage. */
export type StorageName = Exclude<keyof Storage, 'name'>;

/** What a storage must have for webhooks. */
export type WebhookStores = Required<Pick<Storage, 'webhooks' | 'deliveries'>>;
