import * as v from 'valibot';
import { time, wholeNumber } from '../../schema/answer-fields.ts';
import { filledText, integer } from '../../schema/basic-fields.ts';
import { describedAs } from '../../schema/described-as.ts';
import { instant } from '../../schema/instant.ts';
import { DEAD_REASONS, DELIVERY_STATES } from '../../storage/delivery-record.ts';
import {
  DISABLED_REASONS,
  MAX_RATE_LIMIT,
  RATE_LIMIT_PERIODS,
} from '../../storage/webhook-store.ts';
import { WEBHOOK_EVENTS } from '../../webhook-events.ts';
import { MAX_WEBHOOK_URL_CHARS } from '../../webhooks/check-webhook-url.ts';
import { DEFAULT_RATE } from '../../webhooks/webhook-registry.ts';
import { pageQuery } from '../list-page.ts';

/*
 * The single source of what the webhook endpoints take and answer. Bodies are strict: a misspelt `url` must
 * not pass. Every message is constant.
 */

const account = {
  account_id: v.optional(
    v.pipe(
      integer,
      v.minValue(1, 'must be at least 1'),
      v.description("The account. Default: the token's, else the first of the user."),
    ),
  ),
};

/** The query of every webhook endpoint that is no list. */
export const accountQuery = v.object(account);

export const accountPageQuery = v.object({ ...account, ...pageQuery });

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
  rate_limit: v.optional(rateLimit, DEFAULT_RATE.rateLimit),
  rate_limit_period: v.optional(rateLimitPeriod, DEFAULT_RATE.rateLimitPeriod),
});

/** No defaults here: an absent field stays as it was. */
export const webhookChangeFields = v.strictObject({
  url: v.optional(url),
  rate_limit: v.optional(rateLimit),
  rate_limit_period: v.optional(rateLimitPeriod),
});

export const recoverFields = v.strictObject({ since: instant });

export const webhookAnswer = v.strictObject({
  object: v.literal('Webhook'),
  id: v.string(),
  account_id: wholeNumber,
  event: v.string(),
  url: v.string(),
  rate_limit: wholeNumber,
  rate_limit_period: v.picklist(RATE_LIMIT_PERIODS),
  created_at: time,
  updated_at: time,
  disabled_at: v.nullable(time),
  disabled_reason: v.nullable(v.picklist(DISABLED_REASONS)),
});

export const newWebhookAnswer = v.strictObject({
  ...webhookAnswer.entries,
  secret: v.pipe(v.string(), v.description('The signing secret, told this once.')),
});

export const patchedAnswer = v.strictObject({
  object: v.literal('Webhook'),
  patched: v.literal(true),
});

export const secretAnswer = v.strictObject({
  secret: v.pipe(v.string(), v.description('The new signing secret, told this once.')),
});

export const sentAnswer = v.strictObject({
  delivery: v.pipe(v.string(), v.description('Id of the delivery: its `webhook-id`.')),
});

export const recoverAnswer = v.strictObject({
  data: v.strictObject({ count: wholeNumber }),
});

export const deliveryAnswer = v.strictObject({
  object: v.literal('Delivery'),
  id: v.string(),
  event: v.string(),
  state: v.picklist(DELIVERY_STATES),
  reason: v.nullable(v.picklist(DEAD_REASONS)),
  created_at: time,
  next_attempt_at: v.nullable(time),
  attempts: v.pipe(
    v.array(
      v.strictObject({
        at: time,
        status: v.nullable(wholeNumber),
        duration_ms: v.number(),
        error: v.nullable(v.string()),
      }),
    ),
    v.readonly(),
  ),
});

/** An answer about one webhook. */
export function answerOf<TData extends v.GenericSchema>(data: TData) {
  return v.strictObject({ id: v.string(), data });
}
