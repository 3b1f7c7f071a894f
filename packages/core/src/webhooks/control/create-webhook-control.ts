import * as v from 'valibot';
import type { AccountId, AccountIdKind } from '../../account-id.ts';
import { assertAccountId } from '../../account-id-mistakes.ts';
import { type ClientInfo, canonicalClient } from '../../client-info/client-info.ts';
import { ConfigError } from '../../errors.ts';
import type { WebhookActor } from '../../ports/events/webhook-security-event.ts';
import { listPage, pageQuery } from '../../schema/list-page.ts';
import { checkFields, parseFields } from '../../schema/parse-fields.ts';
import { isPossibleId } from '../../schema/possible-id.ts';
import type { WebhookRecord, WebhookRef } from '../../storage/webhook-store.ts';
import type { WebhookDeliveries } from '../deliveries/webhook-deliveries.ts';
import type { EventTypes } from '../events/event-types.ts';
import { newWebhookFields, webhookChangeFields } from '../registry/webhook-fields.ts';
import type { WebhookInfo } from '../registry/webhook-outcomes.ts';
import type { WebhookRegistry } from '../registry/webhook-registry.ts';
import { webhookChange } from '../registry/webhook-settings.ts';
import type { PageOptions, Webhooks } from './webhook-control.ts';

export interface WebhookControlDeps {
  /** Without quotas, which apply to users only. */
  readonly registry: WebhookRegistry;
  /** Without quotas. */
  readonly deliveries: Pick<WebhookDeliveries, 'list' | 'recover'>;
  /** The events for which webhooks can be registered. */
  readonly eventNames: readonly string[];
  readonly accountIdKind: AccountIdKind;
}

const pageFields = v.strictObject(pageQuery);

/**
 * Calls the registry and the deliveries as the routes do, and returns the outcomes from which the routes make errors.
 */
export function createWebhookControl(deps: WebhookControlDeps): Webhooks<EventTypes, AccountId> {
  const { registry, deliveries, accountIdKind } = deps;
  const newFields = newWebhookFields(deps.eventNames);

  function assertAccount(accountId: unknown): void {
    assertAccountId(accountIdKind, accountId, 'the account that the webhook belongs to');
  }

  /** Runs `call` with the ids of the webhook. `null`: no webhook can have this id. */
  async function ifIdPossible<Result>(
    webhook: WebhookRef,
    call: (ref: WebhookRef) => Promise<Result>,
  ): Promise<Result | null> {
    // Picks the ids by name because hosts may pass whole records.
    const { accountId, webhookId } = Object(webhook) as WebhookRef;
    assertAccount(accountId);
    return isPossibleId(webhookId) ? call({ accountId, webhookId }) : null;
  }

  /** Leaves out the secrets, and the position in lists. */
  function infoOf({ secrets, sequence, ...info }: WebhookRecord): WebhookInfo<AccountId> {
    return deps.eventNames.includes(info.event) ? info : { ...info, eventRemoved: true };
  }

  function infoOrNull(webhook: WebhookRecord | null): WebhookInfo<AccountId> | null {
    return webhook && infoOf(webhook);
  }

  return {
    async create(accountId, fields, client) {
      assertAccount(accountId);
      const checked = checkFields(newFields, Object(fields));
      if (checked.outcome !== 'accepted') return checked;
      const created = await registry.create(accountId, checked.values, byHost(client));
      if (created.outcome !== 'created') return created;
      return { ...created, webhook: infoOf(created.webhook) };
    },

    find: (webhook) => ifIdPossible(webhook, async (ref) => infoOrNull(await registry.find(ref))),

    async list(accountId, options) {
      assertAccount(accountId);
      const { items, nextCursor } = await listPage(parsePage(options), (page) =>
        registry.list(accountId, page),
      );
      return { items: items.map(infoOf), nextCursor };
    },

    async change(webhook, fields, client) {
      const checked = checkFields(webhookChangeFields, Object(fields));
      if (checked.outcome !== 'accepted') return checked;
      const change = webhookChange(checked.values);
      const changed = await ifIdPossible(webhook, (ref) =>
        registry.change(ref, change, byHost(client)),
      );
      if (changed === null) return { outcome: 'unknown' };
      if (changed.outcome !== 'changed') return changed;
      return { ...changed, webhook: infoOf(changed.webhook) };
    },

    async remove(webhook, client) {
      return (await ifIdPossible(webhook, (ref) => registry.remove(ref, byHost(client)))) ?? false;
    },

    rotateSecret: (webhook, client) =>
      ifIdPossible(webhook, (ref) => registry.rotateSecret(ref, byHost(client))),

    enable: (webhook, client) =>
      ifIdPossible(webhook, async (ref) => infoOrNull(await registry.enable(ref, byHost(client)))),

    listDeliveries: (webhook, options) =>
      ifIdPossible(webhook, (ref) =>
        listPage(parsePage(options), (page) => deliveries.list(ref, page)),
      ),

    async recover(webhook, sinceMs) {
      if (!Number.isSafeInteger(sinceMs)) {
        throw new TypeError('sinceMs must be an integer: milliseconds since 1970');
      }
      return ifIdPossible(webhook, (ref) => deliveries.recover(ref, sinceMs));
    },
  };
}

/** For an app without the option `webhooks`: every method rejects. */
export const noWebhooks: Webhooks<EventTypes, AccountId> = {
  create: rejectMissing,
  find: rejectMissing,
  list: rejectMissing,
  change: rejectMissing,
  remove: rejectMissing,
  rotateSecret: rejectMissing,
  enable: rejectMissing,
  listDeliveries: rejectMissing,
  recover: rejectMissing,
};

function rejectMissing(): Promise<never> {
  return Promise.reject(
    new ConfigError(
      'webhooks_missing',
      'auth.webhooks needs the option webhooks of createAuth, such as webhooks: { worker: inProcessWorker() }',
    ),
  );
}

function byHost(client: ClientInfo | undefined): ClientInfo & WebhookActor {
  return { actor: 'host', userId: null, ...canonicalClient(client) };
}

/** @throws {AuthError} `invalid_request` */
function parsePage(options: PageOptions | undefined): v.InferOutput<typeof pageFields> {
  return parseFields(pageFields, Object(options));
}
