import { AuthError, malformedFields, notFound } from '../errors.ts';
import type { Origin } from '../ports/events/origin.ts';
import type { WebhookActor } from '../ports/events/webhook-security-event.ts';
import { randomId } from '../ports/random.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Page } from '../storage/page.ts';
import type {
  WebhookChange,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '../storage/webhook-store.ts';
import type { Backlog } from './backlog.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import type { DeliveryThrottle } from './delivery-throttle.ts';
import type { SecretBox } from './secret-box.ts';
import { newSigningSecret, signingSecretText } from './signing-secret.ts';
import { DEFAULT_RATE, type WebhookFields } from './webhook-fields.ts';

/** Who asks for a change, for the security events. */
export type Requester = Origin & WebhookActor;

/**
 * The webhooks of accounts, for the routes, and for the host by way of its control.
 *
 * @throws {AuthError} `not_found` for a webhook that the account does not have, `limit_reached`, `invalid_request`
 * for a URL that nothing may be sent to, `temporarily_unavailable`
 */
export interface WebhookRegistry {
  /** `secret` is the signing secret, shown only this once: `whsec_` and 32 bytes in base64. */
  create(
    accountId: number,
    fields: WebhookFields,
    by: Requester,
  ): Promise<{ readonly webhook: WebhookRecord; readonly secret: string }>;
  get(ref: WebhookRef): Promise<WebhookRecord>;
  list(accountId: number, page: Page): Promise<readonly WebhookRecord[]>;
  change(ref: WebhookRef, change: WebhookChange, by: Requester): Promise<WebhookRecord>;
  remove(ref: WebhookRef, by: Requester): Promise<void>;
  /** Answers the new signing secret, shown only this once. The old one keeps signing beside it for a day. */
  rotateSecret(ref: WebhookRef, by: Requester): Promise<string>;
  /**
   * Enables a disabled webhook again, and sends what was held meanwhile.
   *
   * @throws {AuthError} `too_many_requests`
   */
  enable(ref: WebhookRef, by: Requester): Promise<WebhookRecord>;
}

export interface WebhookRegistryDeps {
  readonly webhooks: WebhookStore;
  readonly backlog: Backlog;
  readonly throttle: Pick<DeliveryThrottle, 'admitResend'>;
  readonly box: SecretBox;
  readonly policy: DeliveryPolicy;
  readonly emit: (event: SecurityEvent) => void;
}

export function createWebhookRegistry(deps: WebhookRegistryDeps): WebhookRegistry {
  const { webhooks, backlog, throttle, box, policy, emit } = deps;

  function report(type: ChangeEvent, ref: WebhookRef, by: Requester): void {
    emit({ type, ...whoDidWhat(ref, by) });
  }

  return {
    async create(accountId, { event, url, ...rate }, by) {
      const ref = { accountId, webhookId: `wh_${randomId()}` };
      const secret = newSigningSecret();
      const fields = { ...DEFAULT_RATE, ...rate, event, url: acceptedUrl(url, policy) };
      const webhook = { ...ref, ...fields, sealedSecret: box.seal(ref, secret) };
      const created = await webhooks.create(webhook, {
        maxPerAccount: policy.maxWebhooksPerAccount,
      });
      if (created.outcome === 'limit_reached') throw limitReached();
      report('webhook.created', ref, by);
      return { webhook: created.webhook, secret: signingSecretText(secret) };
    },

    async get(ref) {
      return found(await webhooks.find(ref));
    },

    list: (accountId, page) => webhooks.list(accountId, page),

    async change(ref, change, by) {
      // Makes no event, but the webhook must exist all the same.
      if (Object.keys(change).length === 0) return found(await webhooks.find(ref));
      const checked = withAcceptedUrl(change, policy);
      const webhook = found(await webhooks.change(ref, checked));
      emit({ type: 'webhook.changed', fields: fieldsOf(checked), ...whoDidWhat(ref, by) });
      if (changesRate(change)) await backlog.reschedule(ref);
      return webhook;
    },

    async remove(ref, by) {
      if (!(await webhooks.remove(ref))) throw notFound();
      report('webhook.removed', ref, by);
    },

    async rotateSecret(ref, by) {
      const secret = newSigningSecret();
      const sealed = box.seal(ref, secret);
      found(await webhooks.rotateSecret(ref, { sealed, overlapMs: policy.secretOverlapMs }));
      report('webhook.secret_rotated', ref, by);
      return signingSecretText(secret);
    },

    async enable(ref, by) {
      await throttle.admitResend(ref.accountId);
      const { outcome, webhook } = found(await webhooks.enable(ref));
      if (outcome === 'enabled') report('webhook.enabled', ref, by);
      // There may be no attempt under way whose end would wake those that are parked; and a rate that was changed while
      // the webhook was disabled has not been applied to its deliveries.
      await backlog.reschedule(ref);
      // Also where it was enabled already: a fault may have left some deliveries held.
      await backlog.release(ref);
      return webhook;
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

/** Not their values: a URL may hold a secret of the receiver's. */
function fieldsOf(change: WebhookChange): readonly (keyof WebhookChange)[] {
  const names = ['url', 'rateLimit', 'rateLimitPeriod'] as const;
  return names.filter((name) => change[name] !== undefined);
}

function found<Found>(webhook: Found | null): Found {
  if (webhook === null) throw notFound();
  return webhook;
}

function acceptedUrl(text: string, policy: DeliveryPolicy): string {
  const checked = checkWebhookUrl(text, policy);
  if (checked.outcome === 'accepted') return checked.url;
  throw malformedFields([{ field: 'url', message: checked.message }]);
}

function withAcceptedUrl(change: WebhookChange, policy: DeliveryPolicy): WebhookChange {
  if (change.url === undefined) return change;
  return { ...change, url: acceptedUrl(change.url, policy) };
}

function changesRate({ rateLimit, rateLimitPeriod }: WebhookChange): boolean {
  return rateLimit !== undefined || rateLimitPeriod !== undefined;
}

function limitReached(): AuthError {
  return new AuthError('limit_reached', 'The account has as many webhooks as it may have.');
}
