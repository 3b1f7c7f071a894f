import type { AccountId } from './account-id.ts';
import type { AuthOptions, KeyOptions } from './auth-options.ts';
import type { TimedSecurityEvent } from './ports/security-events.ts';
import type { Storage } from './storage/storage.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

/** Options for a process that sends webhooks and serves no HTTP: the same as those of the app's `createAuth`. */
export interface DeliveryContextOptions extends Pick<AuthOptions, 'clock'> {
  /** The app's storage, whose deliveries are claimed and completed here. */
  readonly storage: Pick<Storage, 'deliveries'>;
  /** The app's keys, which have encrypted the webhooks' secrets. */
  readonly keys: Required<Pick<KeyOptions, 'encryption'>>;
  /**
   * As in `createAuth`. Declared as a method, so that its parameter is bivariant: a listener may accept only one kind
   * of account id.
   */
  onSecurityEvent?(event: TimedSecurityEvent<AccountId>): unknown;
  /** `events` is ignored. */
  readonly webhooks?: Partial<WebhookOptions>;
}
