import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';
import type { WebhookActor } from '../../ports/events/webhook-security-event.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import { randomId } from '../../random-id.ts';
import type { Page } from '../../storage/page.ts';
import type {
  WebhookChange,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '../../storage/webhook-store.ts';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';
import type { DeliveryQuotas } from '../deliveries/delivery-quotas.ts';
import { newSigningSecret, signingSecretText } from '../secrets/signing-secret.ts';
import type { WebhookSecretCipher } from '../secrets/webhook-secret-cipher.ts';
import { checkWebhookUrl } from '../urls/check-webhook-url.ts';
import {
  DEFAULT_SETTINGS,
  type RejectedWebhookFields,
  type WebhookFields,
} from './webhook-fields.ts';
import type { ChangeWebhookOutcome, NewWebhookOutcome } from './webhook-outcomes.ts';
import { changedSettings } from './webhook-settings.ts';

/** The actor and client of a change, for its security event. */
export type Requester = ClientInfo & WebhookActor;

/**
 * The webhooks of accounts, for the routes, and for the host via `auth.webhooks`. `null`, `false` and `unknown` mean
 * that the account has no such webhook; `rejected` concerns the URL.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface WebhookRegistry {
  create(
    accountId: AccountId,
    fields: WebhookFields<string>,
    by: Requester,
  ): Promise<NewWebhookOutcome<WebhookRecord>>;
  find(ref: WebhookRef): Promise<WebhookRecord | null>;
  list(accountId: AccountId, page: Page): Promise<readonly WebhookRecord[]>;
  change(
    ref: WebhookRef,
    change: WebhookChange,
    by: Requester,
  ): Promise<ChangeWebhookOutcome<WebhookRecord>>;
  remove(ref: WebhookRef, by: Requester): Promise<boolean>;
  /** Returns the new signing secret, which is shown only this once. The old one keeps signing too for a day. */
  rotateSecret(ref: WebhookRef, by: Requester): Promise<string | null>;
  /**
   * Enables a disabled webhook again, and sends the deliveries that have waited.
   *
   * @throws {AuthError} `too_many_requests`
   */
  enable(ref: WebhookRef, by: Requester): Promise<WebhookRecord | null>;
}

export interface WebhookRegistryDeps {
  readonly webhooks: WebhookStore;
  readonly quotas: Pick<DeliveryQuotas, 'admitResend'>;
  readonly cipher: WebhookSecretCipher;
  readonly policy: DeliveryPolicy;
  readonly emit: (event: SecurityEvent) => void;
}

export function createWebhookRegistry(deps: WebhookRegistryDeps): WebhookRegistry {
  const { webhooks, quotas, cipher, policy, emit } = deps;

  function report(type: ChangeEvent, ref: WebhookRef, by: Requester): void {
    emit({ type, ...whoDidWhat(ref, by) });
  }

  return {
    async create(accountId, given, by) {
      const checked = checkWebhookUrl(given.url, policy);
      if (checked.outcome !== 'accepted') return rejectedUrl(checked);
      const ref = { accountId, webhookId: `wh_${randomId()}` };
      const secret = newSigningSecret();
      const fields = { ...DEFAULT_SETTINGS, ...given, url: checked.url };
      const webhook = { ...ref, ...fields, encryptedSecret: cipher.encrypt(ref, secret) };
      const created = await webhooks.create(webhook, {
        maxPerAccount: policy.maxWebhooksPerAccount,
      });
      if (created.outcome !== 'created') return created;
      report('webhook.created', ref, by);
      return { ...created, secret: signingSecretText(secret) };
    },

    find: (ref) => webhooks.find(ref),

    list: (accountId, page) => webhooks.list(accountId, page),

    async change(ref, change, by) {
      // An empty change emits no event, but the webhook must exist.
      if (Object.keys(change).length === 0) return changedOrUnknown(await webhooks.find(ref));
      const checked = checkChange(change, policy);
      if (checked.outcome !== 'accepted') return checked;
      const changed = changedOrUnknown(await webhooks.change(ref, checked.change));
      if (changed.outcome !== 'changed') return changed;
      const fields = changedSettings(change);
      // The event has the names of the settings but not the values, as a URL may contain a secret of the receiver.
      emit({ type: 'webhook.changed', fields, ...whoDidWhat(ref, by) });
      return changed;
    },

    async remove(ref, by) {
      const isRemoved = await webhooks.remove(ref);
      if (isRemoved) report('webhook.removed', ref, by);
      return isRemoved;
    },

    async rotateSecret(ref, by) {
      const secret = newSigningSecret();
      const encrypted = cipher.encrypt(ref, secret);
      const { secretOverlapMs: overlapMs } = policy;
      if ((await webhooks.rotateSecret(ref, { encrypted, overlapMs })) === null) return null;
      report('webhook.secret_rotated', ref, by);
      return signingSecretText(secret);
    },

    async enable(ref, by) {
      await quotas.admitResend(ref.accountId);
      const enabled = await webhooks.enable(ref);
      if (enabled === null) return null;
      if (enabled.outcome === 'enabled') report('webhook.enabled', ref, by);
      return enabled.webhook;
    },
  };
}

type ChangeEvent = Exclude<
  Extract<SecurityEvent, Requester & WebhookRef>['type'],
  'webhook.changed'
>;

function whoDidWhat({ accountId, webhookId }: WebhookRef, by: Requester): WebhookRef & Requester {
  return { accountId, webhookId, ...by };
}

function changedOrUnknown(webhook: WebhookRecord | null) {
  return webhook === null
    ? ({ outcome: 'unknown' } as const)
    : ({ outcome: 'changed', webhook } as const);
}

/** Validates a change, and normalises its URL. */
function checkChange(
  change: WebhookChange,
  policy: DeliveryPolicy,
): { readonly outcome: 'accepted'; readonly change: WebhookChange } | RejectedWebhookFields {
  if (change.url === undefined) return { outcome: 'accepted', change };
  const checked = checkWebhookUrl(change.url, policy);
  if (checked.outcome !== 'accepted') return rejectedUrl(checked);
  return { outcome: 'accepted', change: { ...change, url: checked.url } };
}

function rejectedUrl({ message }: { readonly message: string }): RejectedWebhookFields {
  return { outcome: 'rejected', fields: [{ field: 'url', message }] };
}
