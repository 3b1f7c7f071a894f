import type { AccountId } from '@latchhook/core';
import type {
  WebhookRecord,
  WebhookRef,
  WebhookSettings,
  WebhookStore,
} from '@latchhook/core/storage';
import { CHANGES, SETTING_NAMES, settingsOf } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookRegistry } from './webhook-registry.ts';

const ANY = { maxPerAccount: Number.MAX_SAFE_INTEGER } as const;

function withRecords(
  webhooks: WebhookStore,
  shown: (record: WebhookRecord) => WebhookRecord,
): Partial<WebhookStore> {
  return {
    create: async (webhook, limits) => {
      const answer = await webhooks.create(webhook, limits);
      if (answer.outcome !== 'created') return answer;
      return { ...answer, webhook: shown(answer.webhook) };
    },
    find: async (ref) => {
      const record = await webhooks.find(ref);
      return record && shown(record);
    },
  };
}

const keepsWhatItRemoves = webhooksThat(({ webhooks }) => ({
  remove: async (ref) => (await webhooks.find(ref)) !== null,
}));

expectWebhookFaultsNoticed(webhookRegistry, {
  'stores a webhook as given, with one secret and timestamps of the storage clock': {
    'returns another createdAtMs': webhooksThat(({ webhooks }) =>
      withRecords(webhooks, (record) => ({ ...record, createdAtMs: 0 })),
    ),
    'returns an extra field': webhooksThat(({ webhooks }) =>
      withRecords(webhooks, (record) => ({ ...record, encryptedSecret: 'encrypted' })),
    ),
    'does not find the webhook': webhooksThat(() => ({ find: async () => null })),
  },
  'creates no more than maxPerAccount webhooks, and stores nothing of a rejected one': {
    'ignores maxPerAccount': webhooksThat(({ webhooks }) => ({
      create: (webhook) => webhooks.create(webhook, ANY),
    })),
    'stores a rejected webhook': webhooksThat(({ webhooks }) => ({
      create: async (webhook, limits) => {
        const listed = await webhooks.list(webhook.accountId, { limit: 100, after: null });
        const answer = await webhooks.create(webhook, ANY);
        return listed.length < limits.maxPerAccount ? answer : { outcome: 'limit_reached' };
      },
    })),
  },
  'frees capacity within maxPerAccount when a webhook is removed': {
    'counts removed webhooks': webhooksThat(({ webhooks }) => {
      let created = 0;
      return {
        create: async (webhook, limits) => {
          created += 1;
          if (created > limits.maxPerAccount) return { outcome: 'limit_reached' };
          return webhooks.create(webhook, limits);
        },
      };
    }),
    'does not remove the webhook': keepsWhatItRemoves,
  },
  'does not reveal in the sequence how many webhooks other accounts create': {
    'counts all accounts together': webhooksThat(({ webhooks }) => {
      let sequence = 0;
      return {
        create: async (webhook, limits) => {
          const answer = await webhooks.create(webhook, limits);
          if (answer.outcome !== 'created') return answer;
          sequence += 1;
          return { ...answer, webhook: { ...answer.webhook, sequence } };
        },
      };
    }),
  },
  'counts and lists each account separately': {
    'counts all accounts together': webhooksThat(({ webhooks }) => {
      let created = 0;
      return {
        create: async (webhook, limits) => {
          created += 1;
          if (created > limits.maxPerAccount) return { outcome: 'limit_reached' };
          return webhooks.create(webhook, limits);
        },
      };
    }),
    'lists all accounts together': webhooksThat(({ webhooks }) => ({
      list: async (accountId, page) => [
        ...(await webhooks.list(accountId, page)),
        ...(await webhooks.list(Number(accountId) + 1, page)),
      ],
    })),
  },
  'lists in the order of creation, page by page': {
    'lists in the order of ids': webhooksThat(({ webhooks }) => ({
      list: async (accountId, page) => {
        const listed = await webhooks.list(accountId, page);
        return listed.toSorted((a, b) => a.webhookId.localeCompare(b.webhookId));
      },
    })),
    'skips a webhook between pages': webhooksThat(({ webhooks }) => ({
      list: async (accountId, { limit, after }) =>
        webhooks.list(accountId, { limit, after: after && after + 1 }),
    })),
    'lists one webhook too few per page': webhooksThat(({ webhooks }) => ({
      list: async (accountId, { limit, after }) =>
        webhooks.list(accountId, { limit: limit - 1, after }),
    })),
  },
  'continues a list after a webhook that has been removed': {
    'lists nothing after a removed webhook': webhooksThat(({ webhooks }) => ({
      list: async (accountId, page) => {
        const all = await webhooks.list(accountId, { limit: 100, after: null });
        const isThere = all.some(({ sequence }) => sequence === page.after);
        return page.after === null || isThere ? webhooks.list(accountId, page) : [];
      },
    })),
  },
  'continues a list after the last page even if all webhooks on it were removed': {
    'restarts sequences at 1 after all webhooks were removed': webhooksThat(({ webhooks }) => ({
      list: async (accountId, page) => {
        const all = await webhooks.list(accountId, { ...page, after: null });
        const numbered = all.map((webhook, i) => ({ ...webhook, sequence: i + 1 }));
        return numbered.filter(({ sequence }) => sequence > (page.after ?? 0));
      },
    })),
  },
  'changes the given fields, and nothing else': {
    ...Object.fromEntries(
      SETTING_NAMES.map((name) => [`ignores a change of ${name}`, forgetting(name)]),
    ),
    'changes the first given field only': webhooksThat(({ webhooks }) => ({
      change: (ref, change) => {
        const names = SETTING_NAMES.filter((name) => change[name] !== undefined);
        return webhooks.change(ref, settingsOf({ ...CHANGES, ...change }, names.slice(0, 1)));
      },
    })),
    'resets absent fields to their default': webhooksThat(({ webhooks }) => ({
      change: (ref, change) => webhooks.change(ref, { rateLimitPeriod: 'second', ...change }),
    })),
    'does not change updatedAtMs': webhooksThat(({ webhooks }) => ({
      change: async (ref, change) => {
        const before = await webhooks.find(ref);
        const changed = await webhooks.change(ref, change);
        return changed && { ...changed, updatedAtMs: before?.updatedAtMs ?? 0 };
      },
    })),
    'returns a change that it does not store': webhooksThat(({ webhooks, clock }) => ({
      change: async (ref, change) => {
        const record = await webhooks.find(ref);
        return record && { ...record, ...change, updatedAtMs: clock.nowMs() };
      },
    })),
    'changes all webhooks of the account': webhooksThat(({ webhooks }) => ({
      change: async (ref, change) => {
        for (const other of await webhooks.list(ref.accountId, { limit: 100, after: null })) {
          await webhooks.change(other, change);
        }
        return webhooks.find(ref);
      },
    })),
  },
  'shows a webhook to its own account only': {
    'ignores the account': webhooksThat(({ webhooks }) => byIdAlone(webhooks)),
    'returns true for the removal of another account’s webhook': webhooksThat(({ webhooks }) => ({
      remove: async (ref) => (await webhooks.remove(ref)) || true,
    })),
  },
  'treats a removed webhook as unknown': {
    'does not remove the webhook': keepsWhatItRemoves,
    'lists removed webhooks': webhooksThat(({ webhooks }) => {
      const created: WebhookRecord[] = [];
      return {
        create: async (webhook, limits) => {
          const answer = await webhooks.create(webhook, limits);
          if (answer.outcome === 'created') created.push(answer.webhook);
          return answer;
        },
        list: async () => created,
      };
    }),
  },
});

/** Says that the webhook has changed, and when, but keeps the setting. */
function forgetting(forgotten: keyof WebhookSettings) {
  return webhooksThat(({ webhooks }) => ({
    change: async (ref, change) => {
      const before = await webhooks.find(ref);
      await webhooks.change(ref, change);
      return before && webhooks.change(ref, settingsOf(before, [forgotten]));
    },
  }));
}

function byIdAlone(webhooks: WebhookStore): Partial<WebhookStore> {
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
