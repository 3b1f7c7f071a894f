import * as v from 'valibot';
import type { FieldError } from '../../errors.ts';
import { filledText, integer } from '../../schema/basic-fields.ts';
import { describedAs } from '../../schema/described-as.ts';
import {
  MAX_RATE_LIMIT,
  RATE_LIMIT_PERIODS,
  type WebhookSettings,
} from '../../storage/webhook-store.ts';
import type { WebhookEventName } from '../../webhook-events.ts';
import { namesText } from '../events/names-text.ts';
import { MAX_WEBHOOK_URL_CHARS } from '../urls/check-webhook-url.ts';

/** The default settings of a webhook. */
export const DEFAULT_SETTINGS = {
  rateLimit: 50,
  rateLimitPeriod: 'second',
} as const satisfies Omit<WebhookSettings, 'url'>;

/** The fields of a new webhook. `rateLimit` is 1 to 10,000; by default, the rate limit is 50 per second. */
export interface WebhookFields<Event extends string = WebhookEventName>
  extends Partial<WebhookSettings> {
  /** The event that it receives. */
  readonly event: Event;
  /**
   * The URL of the receiver: at most 2083 characters, without user info and fragment. `https:`, a public address and
   * port 443 or 8443, unless `allowHttp`, `allowPrivateAddresses` or `allowedPorts` of `webhooks` is set.
   */
  readonly url: string;
}

/** The fields were rejected. Nothing was stored. */
export interface RejectedWebhookFields {
  readonly outcome: 'rejected';
  /** The rejected fields, each with a constant message that never quotes the value. */
  readonly fields: readonly FieldError[];
}

/*
 * The only definition of a webhook's fields, over HTTP and for the host. Strict, because a misspelt `url` must be
 * rejected. Every message is constant.
 */

const url = v.pipe(
  filledText,
  v.maxLength(MAX_WEBHOOK_URL_CHARS, `must have at most ${MAX_WEBHOOK_URL_CHARS} characters`),
  v.description(
    'Where deliveries are sent to: http or https, without user info and fragment. Stored percent-encoded.',
  ),
  describedAs({ format: 'iri' }),
);

const rateLimit = v.pipe(
  integer,
  v.minValue(1, 'must be at least 1'),
  v.maxValue(MAX_RATE_LIMIT, `must be at most ${MAX_RATE_LIMIT}`),
  v.description('Deliveries that may start in any window of `rate_limit_period`.'),
);

const rateLimitPeriod = v.picklist(RATE_LIMIT_PERIODS, 'must be second or minute');

const settings = { url, rateLimit, rateLimitPeriod } satisfies {
  [Name in keyof WebhookSettings]: v.GenericSchema<WebhookSettings[Name]>;
};

const settingsWithDefaults = {
  rateLimit: v.optional(rateLimit, DEFAULT_SETTINGS.rateLimit),
  rateLimitPeriod: v.optional(rateLimitPeriod, DEFAULT_SETTINGS.rateLimitPeriod),
} satisfies Record<keyof typeof DEFAULT_SETTINGS, v.GenericSchema>;

export function newWebhookFields(eventNames: readonly string[]) {
  return v.strictObject({
    event: v.picklist(eventNames, `must be one of ${namesText(eventNames)}`),
    ...settings,
    ...settingsWithDefaults,
  });
}

/** Without defaults, because an absent setting is unchanged. */
export const webhookChangeFields = v.partial(v.strictObject(settings));
