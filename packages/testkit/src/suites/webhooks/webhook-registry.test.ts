import type { AccountId } from '@latchhook/core';
import type {
  WebhookRecord,
  WebhookRef,
  WebhookSettings,
  WebhookStore,
} from '@latchhook/core/storage';
import { CHANGES, SETTING_NAMES, settingsOf } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { webhookRegistry } from './webhook-registry.ts';

const NO_LIMIT = { maxPerAccount: Number.MAX_SAFE_INTEGER } as const;

function withRecords(
  webhooks: WebhookStore,
  change: (record: WebhookRecord) => WebhookRecord,
): Partial<WebhookStore> {
  return {
    create: async (webhook, limits) => {
      const result = await webhooks.create(webhook, limits);
      if (result.outcome !== 'created') return result;
      return { ...result, webhook: change(result.webhook) };
    },
    find: async (ref) => {
      const record = await webhooks.find(ref);
      return record && change(record);
    },
  };
}

const removesNothing = faultyWebhooks((webhooks) => ({
  remove: async (ref) => (await webhooks.find(ref)) !== null,
}));

expectWebhookFaultsNoticed(webhookRegistry, {
  'returns a webhook as created, with one secret and times of the storage clock': {
    'returns another createdAtMs': faultyWebhooks((webhooks) =>
      withRecords(webhooks, (record) => ({ ...record, createdAtMs: 0 })),
    ),
    'returns an extra field': faultyWebhooks((webhooks) =>
      withRecords(webhooks, (record) => ({ ...record, encryptedSecret: 'encrypted' })),
    ),
    'does not find the webhook': faultyWebhooks(() => ({ find: async () => null })),
  },
  'stores nothing of a webhook beyond maxPerAccount': {
    'ignores maxPerAccount': faultyWebhooks((webhooks) => ({
      create: (webhook) => webhooks.create(webhook, NO_LIMIT),
    })),
    'stores a rejected webhook': faultyWebhooks((webhooks) => ({
      create: async (webhook, limits) => {
        const listed = await webhooks.list(webhook.accountId, { limit: 100, after: null });
        const result = await webhooks.create(webhook, NO_LIMIT);
        return listed.length < limits.maxPerAccount ? result : { outcome: 'limit_reached' };
      },
    })),
  },
  'frees capacity within maxPerAccount when a webhook is removed': {
    'counts removed webhooks': faultyWebhooks((webhooks) => {
      let created = 0;
      return {
        create: async (webhook, limits) => {
          created += 1;
          if (created > limits.maxPerAccount) return { outcome: 'limit_reached' };
          return webhooks.create(webhook, limits);
        },
      };
    }),
    'does not remove the webhook': removesNothing,
  },
  'does not reveal in the sequence how many webhooks other accounts create': {
    'counts all accounts together': faultyWebhooks((webhooks) => {
      let sequence = 0;
      return {
        create: async (webhook, limits) => {
          const result = await webhooks.create(webhook, limits);
          if (result.outcome !== 'created') return result;
          sequence += 1;
          return { ...result, webhook: { ...result.webhook, sequence } };
        },
      };
    }),
  },
  'counts and lists the webhooks of each account separately': {
    'counts all accounts together': faultyWebhooks((webhooks) => {
      let created = 0;
      return {
        create: async (webhook, limits) => {
          created += 1;
          if (created > limits.maxPerAccount) return { outcome: 'limit_reached' };
          return webhooks.create(webhook, limits);
        },
      };
    }),
    'lists all accounts together': faultyWebhooks((webhooks) => ({
      list: async (accountId, page) => [
        ...(await webhooks.list(accountId, page)),
        ...(await webhooks.list(Number(accountId) + 1, page)),
      ],
    })),
  },
  'lists webhooks in the order of creation, page by page': {
    'lists in the order of ids': faultyResults('webhooks', 'list', (listed) =>
      listed.toSorted((a, b) => a.webhookId.localeCompare(b.webhookId)),
    ),
    'skips a webhook between pages': faultyWebhooks((webhooks) => ({
      list: async (accountId, { limit, after }) =>
        webhooks.list(accountId, { limit, after: after && after + 1 }),
    })),
    'lists one webhook too few per page': faultyWebhooks((webhooks) => ({
      list: async (accountId, { limit, after }) =>
        webhooks.list(accountId, { limit: limit - 1, after }),
    })),
  },
  'continues a list after a webhook that has been removed': {
    'lists nothing after a removed webhook': faultyWebhooks((webhooks) => ({
      list: async (accountId, page) => {
        const listed = await webhooks.list(accountId, { limit: 100, after: null });
        const isListed = listed.some(({ sequence }) => sequence === page.after);
        return page.after === null || isListed ? webhooks.list(accountId, page) : [];
      },
    })),
  },
  'continues a list after the last page even if all webhooks on it were removed': {
    'restarts sequences at 1 after all webhooks were removed': faultyWebhooks((webhooks) => ({
      list: async (accountId, page) => {
        const listed = await webhooks.list(accountId, { ...page, after: null });
        const numbered = listed.map((webhook, i) => ({ ...webhook, sequence: i + 1 }));
        return numbered.filter(({ sequence }) => sequence > (page.after ?? 0));
      },
    })),
  },
  'changes only the given fields of the webhook': {
    ...Object.fromEntries(
      SETTING_NAMES.map((name) => [`ignores a change of ${name}`, ignoreChangeOf(name)]),
    ),
    'changes the first given field only': faultyWebhooks((webhooks) => ({
      change: (ref, change) => {
        const names = SETTING_NAMES.filter((name) => change[name] !== undefined);
        return webhooks.change(ref, settingsOf({ ...CHANGES, ...change }, names.slice(0, 1)));
      },
    })),
    'resets absent fields to their default': faultyWebhooks((webhooks) => ({
      change: (ref, change) => webhooks.change(ref, { rateLimitPeriod: 'second', ...change }),
    })),
    'does not change updatedAtMs': faultyWebhooks((webhooks) => ({
      change: async (ref, change) => {
        const before = await webhooks.find(ref);
        const changed = await webhooks.change(ref, change);
        return changed && { ...changed, updatedAtMs: before?.updatedAtMs ?? 0 };
      },
    })),
    'returns a change that it does not store': faultyWebhooks((webhooks, { clock }) => ({
      change: async (ref, change) => {
        const record = await webhooks.find(ref);
        return record && { ...record, ...change, updatedAtMs: clock.nowMs() };
      },
    })),
    'changes all webhooks of the account': faultyWebhooks((webhooks) => ({
      change: async (ref, change) => {
        for (const other of await webhooks.list(ref.accountId, { limit: 100, after: null })) {
          await webhooks.change(other, change);
        }
        return webhooks.find(ref);
      },
    })),
  },
  'shows a webhook to its own account only': {
    'ignores the account': faultyWebhooks((webhooks) => findByIdOnly(webhooks)),
    'returns true for the removal of another account’s webhook': faultyResults(
      'webhooks',
      'remove',
      () => true,
    ),
  },
  'treats a removed webhook as unknown': {
    'does not remove the webhook': removesNothing,
    'lists removed webhooks': faultyWebhooks((webhooks) => {
      const created: WebhookRecord[] = [];
      return {
        create: async (webhook, limits) => {
          const result = await webhooks.create(webhook, limits);
          if (result.outcome === 'created') created.push(result.webhook);
          return result;
        },
        list: async () => created,
      };
    }),
  },
});

/** Ignores a change of one setting, but updates `updatedAtMs`. */
function ignoreChangeOf(ignored: keyof WebhookSettings) {
  return faultyWebhooks((webhooks) => ({
    change: async (ref, change) => {
      const before = await webhooks.find(ref);
      await webhooks.change(ref, change);
      return before && webhooks.change(ref, settingsOf(before, [ignored]));
    },
  }));
}

/** Finds webhooks by id, regardless of the account. */
function findByIdOnly(webhooks: WebhookStore): Partial<WebhookStore> {
  const owners = new Map<string, AccountId>();
  const own = ({ webhookId, accountId }: WebhookRef): WebhookRef => ({
    webhookId,
    accountId: owners.get(webhookId) ?? accountId,
  });
  return {
    create: (webhook, limits) => {
      owners.set(webhook.webhookId, webhook.accountId);
      return webhooks.create(webhook, limits);
    },
    find: (ref) => webhooks.find(own(ref)),
    change: (ref, change) => webhooks.change(own(ref), change),
    rotateSecret: (ref, secret) => webhooks.rotateSecret(own(ref), secret),
    enable: (ref) => webhooks.enable(own(ref)),
    remove: (ref) => webhooks.remove(own(ref)),
  };
}
