import type { AccountId } from './account-id.ts';
import type { AuthOptions, KeyOptions } from './auth-options.ts';
import type { TimedSecurityEvent } from './ports/security-events.ts';
import type { Storage } from './storage/storage.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

/** Options for a process that sends webhooks and serves no HTTP: the same as those of the app's `createAuth`. */
export interface DeliveryContextOptions extends Pick<AuthOptions, 'clock'> {
  /** The app's: deliveries are read and finished there. */
  readonly storage: Pick<Storage, 'deliveries'>;
  /** The app's: what was encrypted there is decrypted here. */
  readonly keys: Required<Pick<KeyOptions, 'encryption'>>;
  /** As of `createAuth`. A method, so that it can take the events of accounts of one kind of id alone. */
  onSecurityEvent?(event: TimedSecurityEvent<AccountId>): unknown;
  /** `events` are ignored. */
  readonly webhooks?: Partial<WebhookOptions>;
}
