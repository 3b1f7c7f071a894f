import * as v from 'valibot';
import { AuthError, ConfigError } from '../errors.ts';
import { NOWHERE, type Origin } from '../ports/events/origin.ts';
import type { WebhookActor } from '../ports/events/webhook-security-event.ts';
import { listPage, pageQuery } from '../schema/list-page.ts';
import { parseFields } from '../schema/parse-fields.ts';
import { isPossibleId } from '../schema/possible-id.ts';
import type { WebhookRecord, WebhookRef } from '../storage/webhook-store.ts';
import { assertAccountId } from './assert-account-id.ts';
import type {
  PageOptions,
  RefusedWebhookFields,
  WebhookInfo,
  Webhooks,
} from './webhook-control.ts';
import type { WebhookDeliveries } from './webhook-deliveries.ts';
import { newWebhookFields, webhookChange, webhookChangeFields } from './webhook-fields.ts';
import type { WebhookRegistry } from './webhook-registry.ts';

export interface WebhookControlDeps {
  /** Without quotas: they are for users. */
  readonly registry: WebhookRegistry;
  /** Without quotas. */
  readonly deliveries: Pick<WebhookDeliveries, 'list' | 'recover'>;
}

const pageFields = v.strictObject(pageQuery);

/** Asks as the routes do. What they answer as an error is an outcome here. */
export function createWebhookControl({ registry, deliveries }: WebhookControlDeps): Webhooks {
  return {
    async create(accountId, given, origin) {
      assertAccount(accountId);
      try {
        const fields = parseFields(newWebhookFields, Object(given));
        const { webhook, secret } = await registry.create(accountId, fields, by(origin));
        return { outcome: 'created', webhook: infoOf(webhook), secret };
      } catch (error) {
        if (isRefusal(error, 'limit_reached')) return { outcome: 'limit_reached' };
        return refusedFields(error);
      }
    },

    find: (asked) => ifKnown(asked, async (ref) => infoOf(await registry.get(ref))),

    async list(accountId, options) {
      assertAccount(accountId);
      const { items, nextCursor } = await listPage(pageOf(options), (page) =>
        registry.list(accountId, page),
      );
      return { items: items.map(infoOf), nextCursor };
    },

    async change(asked, given, origin) {
      try {
        const change = webhookChange(parseFields(webhookChangeFields, Object(given)));
        const webhook = await ifKnown(asked, (ref) => registry.change(ref, change, by(origin)));
        if (webhook === null) return { outcome: 'unknown' };
        return { outcome: 'changed', webhook: infoOf(webhook) };
      } catch (error) {
        return refusedFields(error);
      }
    },

    async remove(asked, origin) {
      const removed = await ifKnown(asked, async (ref) => {
        await registry.remove(ref, by(origin));
        return true;
      });
      return removed ?? false;
    },

    rotateSecret: (asked, origin) =>
      ifKnown(asked, (ref) => registry.rotateSecret(ref, by(origin))),

    enable: (asked, origin) =>
      ifKnown(asked, async (ref) => infoOf(await registry.enable(ref, by(origin)))),

    listDeliveries: (asked, options) =>
      ifKnown(asked, (ref) => listPage(pageOf(options), (page) => deliveries.list(ref, page))),

    async recover(asked, sinceMs) {
      if (!Number.isSafeInteger(sinceMs)) {
        throw new TypeError('sinceMs must be an integer: milliseconds since 1970');
      }
      return ifKnown(asked, (ref) => deliveries.recover(ref, sinceMs));
    },
  };
}

/** Where `createAuth` was given no `webhooks`. */
export const noWebhooks: Webhooks = {
  create: rejected,
  find: rejected,
  list: rejected,
  change: rejected,
  remove: rejected,
  rotateSecret: rejected,
  enable: rejected,
  listDeliveries: rejected,
  recover: rejected,
};

function rejected(): Promise<never> {
  return Promise.reject(
    new ConfigError(
      'webhooks_missing',
      'auth.webhooks needs the option webhooks of createAuth, such as webhooks: { delivery: inProcessDelivery() }',
    ),
  );
}

/** Asks about the webhook; `null` where the account has none of this id. */
async function ifKnown<Answer>(
  asked: WebhookRef,
  ask: (ref: WebhookRef) => Promise<Answer>,
): Promise<Answer | null> {
  // By name, since whole records are passed too.
  const { accountId, webhookId } = Object(asked) as WebhookRef;
  assertAccount(accountId);
  if (!isPossibleId(webhookId)) return null;
  try {
    return await ask({ accountId, webhookId });
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null;
    throw error;
  }
}

function assertAccount(accountId: unknown): void {
  assertAccountId(accountId, 'the account that the webhook belongs to');
}

/** By name, so that nothing else that an origin carries gets into an event. */
function by({ clientAddress, userAgent }: Origin = NOWHERE): Origin & WebhookActor {
  return { actor: 'host', userId: null, clientAddress, userAgent };
}

/** @throws {AuthError} `invalid_request` */
function pageOf(options: PageOptions | undefined): v.InferOutput<typeof pageFields> {
  return parseFields(pageFields, Object(options));
}

function infoOf({ secrets, sequence, ...info }: WebhookRecord): WebhookInfo {
  return info;
}

/** @throws whatever is not a refusal of fields */
function refusedFields(error: unknown): RefusedWebhookFields {
  const fields = isRefusal(error, 'invalid_request') ? error.details.fields : undefined;
  if (fields === undefined) throw error;
  return { outcome: 'refused', fields };
}

function isRefusal(error: unknown, code: AuthError['code']): error is AuthError {
  return error instanceof AuthError && error.code === code;
}
