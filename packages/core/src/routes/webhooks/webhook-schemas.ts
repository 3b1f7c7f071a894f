import * as v from 'valibot';
import { type AccountIdFields, byAccountIdKind } from '../../schema/account-id-fields.ts';
import { time, wholeNumber } from '../../schema/answer-fields.ts';
import { instant } from '../../schema/instant.ts';
import { pageAnswer, pageQuery } from '../../schema/list-page.ts';
import { named, namedAfter } from '../../schema/named.ts';
import { DEAD_REASONS, DELIVERY_STATES } from '../../storage/delivery-record.ts';
import { DISABLED_REASONS, RATE_LIMIT_PERIODS } from '../../storage/webhook-store.ts';
import * as fields from '../../webhooks/registry/webhook-fields.ts';

/*
 * The only definition of requests and responses of the webhook endpoints. Bodies are strict: a misspelt `url` must not
 * pass. Every message is constant.
 */

/** The fields that `auth.webhooks` accepts too, by the names of HTTP. */
export function newWebhookFields(eventNames: readonly string[]) {
  const { entries } = fields.newWebhookFields(eventNames);
  return named(
    'NewWebhook',
    v.strictObject({
      event: entries.event,
      url: entries.url,
      rate_limit: entries.rateLimit,
      rate_limit_period: entries.rateLimitPeriod,
    }),
  );
}

const changeEntries = fields.webhookChangeFields.entries;

export const webhookChangeFields = named(
  'WebhookChange',
  v.strictObject({
    url: changeEntries.url,
    rate_limit: changeEntries.rateLimit,
    rate_limit_period: changeEntries.rateLimitPeriod,
  }),
);

export const recoverFields = named('DeliveryRecovery', v.strictObject({ since: instant }));

export const patchedAnswer = named(
  'PatchedWebhook',
  v.strictObject({
    object: v.literal('Webhook'),
    patched: v.literal(true),
  }),
);

export const secretAnswer = named(
  'WebhookSecret',
  v.strictObject({
    secret: v.pipe(v.string(), v.description('The new signing secret, shown only this once.')),
  }),
);

export const sentAnswer = named(
  'SentDelivery',
  v.strictObject({
    delivery: v.pipe(v.string(), v.description('Id of the delivery: its `webhook-id`.')),
  }),
);

export const recoverAnswer = named(
  'DeliveryRecoveryAnswer',
  v.strictObject({
    data: v.strictObject({ count: wholeNumber }),
  }),
);

export const deliveryAnswer = named(
  'Delivery',
  v.strictObject({
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
  }),
);

export const eventTypesAnswer = pageAnswer(
  named(
    'EventType',
    v.strictObject({
      object: v.literal('EventType'),
      name: v.string(),
      description: v.nullable(v.string()),
      schema: v.pipe(
        v.record(v.string(), v.unknown()),
        v.description('The data of the event, as JSON Schema (2020-12).'),
      ),
      example: v.nullable(v.record(v.string(), v.unknown())),
    }),
  ),
);

/** A response about one webhook. */
export function answerOf<TData extends v.GenericSchema>(data: TData) {
  return namedAfter(data, 'Answer', v.strictObject({ id: v.string(), data }));
}

function schemasOf(ids: AccountIdFields) {
  const account = {
    account_id: v.optional(
      ids.searchedAccount(
        'The account. Default: the account of the token, or else the first account of the user.',
      ),
    ),
  };

  /** The query of every webhook endpoint except for lists. */
  const accountQuery = v.object(account);

  const accountPageQuery = v.object({ ...account, ...pageQuery });

  const webhookAnswer = named(
    'Webhook',
    v.strictObject({
      object: v.literal('Webhook'),
      id: v.string(),
      account_id: ids.inResponse,
      event: v.string(),
      url: v.string(),
      rate_limit: wholeNumber,
      rate_limit_period: v.picklist(RATE_LIMIT_PERIODS),
      created_at: time,
      updated_at: time,
      disabled_at: v.nullable(time),
      disabled_reason: v.nullable(v.picklist(DISABLED_REASONS)),
      event_removed: v.optional(
        v.pipe(v.literal(true), v.description('Present if the app no longer publishes the event.')),
      ),
    }),
  );

  const newWebhookAnswer = named(
    'CreatedWebhook',
    v.strictObject({
      ...webhookAnswer.entries,
      secret: v.pipe(v.string(), v.description('The signing secret, shown only this once.')),
    }),
  );

  return { accountQuery, accountPageQuery, webhookAnswer, newWebhookAnswer };
}

/** The schemas that contain ids of accounts. */
export type WebhookSchemas = ReturnType<typeof schemasOf>;

export const webhookSchemas = byAccountIdKind(schemasOf);
