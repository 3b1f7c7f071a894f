import type {
  CallDeadline,
  ChallengeStore,
  DeliveryStore,
  MfaStore,
  PersonalAccessTokenStore,
  SessionStore,
  StoreStartup,
  WebhookStore,
} from '@latchhook/core/storage';
import type { Keyspace } from './keyspace.ts';
import type { PersonalAccessTokenKeys } from './personal-access-token-keyspace.ts';
import type { CallScript } from './script-caller.ts';
import type { StartupKeys } from './startup-keyspace.ts';
import type { WebhookPartitions } from './webhook-keyspace.ts';

/** What the methods of all stores need to call their scripts. */
export interface StoreDeps {
  readonly call: CallScript;
  /** Makes the deadline of a method whose calls share one. */
  readonly newDeadline: () => CallDeadline;
  /** The keys of users: sessions, challenges and second factors. */
  readonly keyspace: Keyspace;
  readonly tokenKeys: PersonalAccessTokenKeys;
  /** The keys of webhooks and deliveries. */
  readonly partitions: WebhookPartitions;
  readonly startupKeys: StartupKeys;
}

/** Makes a method of a store, which calls one script. */
type MakeMethod<Store, Name extends keyof Store> = (deps: StoreDeps) => Store[Name];

export type SessionMethod<Name extends keyof SessionStore> = MakeMethod<SessionStore, Name>;
export type ChallengeMethod<Name extends keyof ChallengeStore> = MakeMethod<ChallengeStore, Name>;
export type MfaMethod<Name extends keyof MfaStore> = MakeMethod<MfaStore, Name>;
export type PersonalAccessTokenMethod<Name extends keyof PersonalAccessTokenStore> = MakeMethod<
  PersonalAccessTokenStore,
  Name
>;
export type WebhookMethod<Name extends keyof WebhookStore> = MakeMethod<WebhookStore, Name>;
export type DeliveryMethod<Name extends keyof DeliveryStore> = MakeMethod<DeliveryStore, Name>;
export type StartupMethod<Name extends keyof StoreStartup> = MakeMethod<StoreStartup, Name>;
