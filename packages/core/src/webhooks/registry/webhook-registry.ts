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
    requester: Requester,
  ): Promise<NewWebhookOutcome<WebhookRecord>>;
  find(ref: WebhookRef): Promise<WebhookRecord | null>;
  list(accountId: AccountId, page: Page): Promise<readonly WebhookRecord[]>;
  change(
    ref: WebhookRef,
    change: WebhookChange,
    requester: Requester,
  ): Promise<ChangeWebhookOutcome<WebhookRecord>>;
  remove(ref: WebhookRef, requester: Requester): Promise<boolean>;
  /** Returns the new signing secret, which is shown only this once. The old secret keeps signing too, for a day. */
  rotateSecret(ref: WebhookRef, requester: Requester): Promise<string | null>;
  /**
   * Enables a disabled webhook again, and sends the deliveries that have waited. Therefore it counts as a resend.
   *
   * @throws {AuthError} `too_many_requests`
   */
  enable(ref: WebhookRef, requester: Requester): Promise<WebhookRecord | null>;
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

  function emitChange(type: ChangeEvent, ref: WebhookRef, requester: Requester): void {
    emit({ type, ...refAndRequester(ref, requester) });
  }

  return {
    async create(accountId, fields, requester) {
      const checked = checkWebhookUrl(fields.url, policy);
      if (checked.outcome !== 'accepted') return rejectedUrl(checked);
      const ref = { accountId, webhookId: `wh_${randomId()}` };
      const secret = newSigningSecret();
      const settings = { ...DEFAULT_SETTINGS, ...fields, url: checked.url };
      const webhook = { ...ref, ...settings, encryptedSecret: cipher.encrypt(ref, secret) };
      const created = await webhooks.create(webhook, {
        maxPerAccount: policy.maxWebhooksPerAccount,
      });
      if (created.outcome !== 'created') return created;
      emitChange('webhook.created', ref, requester);
      return { ...created, secret: signingSecretText(secret) };
    },

    find: (ref) => webhooks.find(ref),

    list: (accountId, page) => webhooks.list(accountId, page),

    async change(ref, change, requester) {
      // An empty change emits no event, but is still `unknown` if the webhook does not exist.
      if (Object.keys(change).length === 0) return changedOrUnknown(await webhooks.find(ref));
      const checked = checkChange(change, policy);
      if (checked.outcome !== 'accepted') return checked;
      const changed = changedOrUnknown(await webhooks.change(ref, checked.change));
      if (changed.outcome !== 'changed') return changed;
      const fields = changedSettings(change);
      // The event has the names of the settings but not the values, because a URL may contain a secret of the receiver.
      emit({ type: 'webhook.changed', fields, ...refAndRequester(ref, requester) });
      return changed;
    },

    async remove(ref, requester) {
      const isRemoved = await webhooks.remove(ref);
      if (isRemoved) emitChange('webhook.removed', ref, requester);
      return isRemoved;
    },

    async rotateSecret(ref, requester) {
      const secret = newSigningSecret();
      const encrypted = cipher.encrypt(ref, secret);
      const { secretOverlapMs: overlapMs } = policy;
      if ((await webhooks.rotateSecret(ref, { encrypted, overlapMs })) === null) return null;
      emitChange('webhook.secret_rotated', ref, requester);
      return signingSecretText(secret);
    },

    async enable(ref, requester) {
      await quotas.admitResend(ref.accountId);
      const enabled = await webhooks.enable(ref);
      if (enabled === null) return null;
      if (enabled.outcome === 'enabled') emitChange('webhook.enabled', ref, requester);
      return enabled.webhook;
    },
  };
}

type ChangeEvent = Exclude<
  Extract<SecurityEvent, Requester & WebhookRef>['type'],
  'webhook.changed'
>;

function refAndRequester(
  { accountId, webhookId }: WebhookRef,
  requester: Requester,
): WebhookRef & Requester {
  return { accountId, webhookId, ...requester };
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
