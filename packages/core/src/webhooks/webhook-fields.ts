import * as v from 'valibot';
import type { FieldError } from '../errors.ts';
import { filledText, integer } from '../schema/basic-fields.ts';
import { describedAs } from '../schema/described-as.ts';
import {
  MAX_RATE_LIMIT,
  RATE_LIMIT_PERIODS,
  type WebhookChange,
} from '../storage/webhook-store.ts';
import { WEBHOOK_EVENTS, type WebhookEventName } from '../webhook-events.ts';
import { MAX_WEBHOOK_URL_CHARS } from './check-webhook-url.ts';

/** The rate of a webhook that was registered without one. */
export const DEFAULT_RATE = { rateLimit: 50, rateLimitPeriod: 'second' } as const;

/** What is said of a new webhook. `rateLimit` is 1 to 10,000; by default, the rate is 50 a second. */
export interface WebhookFields extends WebhookChange {
  /** The one event that it is for. */
  readonly event: WebhookEventName;
  /**
   * Where deliveries are sent to: at most 2083 characters, without user info and fragment. `https:` and a public
   * address, unless `webhooks.allowHttp` or `webhooks.allowPrivateAddresses` is set.
   */
  readonly url: string;
}

/** Fields that cannot be taken. Nothing was stored. */
export interface RefusedWebhookFields {
  readonly outcome: 'refused';
  /** Each with a constant message; what was given is never quoted. */
  readonly fields: readonly FieldError[];
}

/*
 * The single source of what may be said of a webhook, over HTTP and by the host. Strict: a misspelt `url` must not pass.
 * Every message is constant.
 */

const url = v.pipe(
  filledText,
  v.maxLength(MAX_WEBHOOK_URL_CHARS, `must have at most ${MAX_WEBHOOK_URL_CHARS} characters`),
  v.description('Where deliveries are sent to: http or https, without user info and fragment.'),
  describedAs({ format: 'uri' }),
);

const rateLimit = v.pipe(
  integer,
  v.minValue(1, 'must be at least 1'),
  v.maxValue(MAX_RATE_LIMIT, `must be at most ${MAX_RATE_LIMIT}`),
  v.description('Deliveries that may start in any window of `rate_limit_period`.'),
);

const rateLimitPeriod = v.picklist(RATE_LIMIT_PERIODS, 'must be second or minute');

export const newWebhookFields = v.strictObject({
  event: v.picklist(WEBHOOK_EVENTS, `must be one of ${WEBHOOK_EVENTS.join(', ')}`),
  url,
  rateLimit: v.optional(rateLimit, DEFAULT_RATE.rateLimit),
  rateLimitPeriod: v.optional(rateLimitPeriod, DEFAULT_RATE.rateLimitPeriod),
});

/** No defaults here: an absent field stays as it was. */
export const webhookChangeFields = v.strictObject({
  url: v.optional(url),
  rateLimit: v.optional(rateLimit),
  rateLimitPeriod: v.optional(rateLimitPeriod),
});

/** A change of what is given: `undefined` counts as absent. */
export function webhookChange({
  url,
  rateLimit,
  rateLimitPeriod,
}: v.InferOutput<typeof webhookChangeFields>): WebhookChange {
  return {
    ...(url !== undefined && { url }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(rateLimitPeriod !== undefined && { rateLimitPeriod }),
  };
}

/** The fields that a change gives. */
export function changedFields(change: WebhookChange): readonly (keyof WebhookChange)[] {
  const names = ['url', 'rateLimit', 'rateLimitPeriod'] as const;
  return names.filter((name) => change[name] !== undefined);
}
