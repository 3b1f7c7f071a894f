import type { WebhookStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { webhookReencryption } from './webhook-re-encryption.ts';

type Page = Awaited<ReturnType<WebhookStore['listEncrypted']>>;

/** Returns a changed page of the reference, which returns everything on one page. */
function faultyPages(change: (page: Page, limit: number) => Page) {
  return faultyResults('webhooks', 'listEncrypted', (result, page) => change(result, page.limit));
}

/** Makes the replacement the current secret, as a rotation does. */
const rotates = faultyWebhooks((webhooks) => ({
  replaceEncrypted: async (ref, { replacement }) => {
    const record = await webhooks.rotateSecret(ref, { encrypted: replacement, overlapMs: 0 });
    return record !== null;
  },
}));

expectWebhookFaultsNoticed(webhookReencryption, {
  'continues after a page whose webhooks were all removed': {
    'stops at an empty page': faultyWebhooks((webhooks) => {
      const everCreated: string[] = [];
      return {
        create: (webhook, limits) => {
          everCreated.push(webhook.webhookId);
          return webhooks.create(webhook, limits);
        },
        listEncrypted: async ({ limit, cursor }) => {
          const from = Number(cursor ?? 0);
          const ids = everCreated.slice(from, from + limit);
          const { items } = await webhooks.listEncrypted({ limit, cursor: null });
          const page = items.filter(({ owner }) => ids.includes(owner.webhookId));
          return { items: page, nextCursor: page.length === 0 ? null : String(from + limit) };
        },
      };
    }),
  },
  'lists the secrets of every account’s webhooks': {
    'lists the first page only': faultyPages(({ items }, limit) => ({
      items: items.slice(0, limit),
      nextCursor: null,
    })),
    'lists one account only': faultyPages(({ items, nextCursor }) => ({
      items: items.filter(({ owner }) => owner.accountId === 1),
      nextCursor,
    })),
  },
  'lists current and overlapping secrets, but none that is retired or removed': {
    'lists the first secret only': faultyPages(({ items, nextCursor }) => ({
      items: items.slice(0, 1),
      nextCursor,
    })),
    'lists retired secrets': faultyWebhooks((webhooks) => {
      let everListed: Page = { items: [], nextCursor: null };
      return {
        listEncrypted: async (page) => {
          const current = await webhooks.listEncrypted(page);
          everListed = { ...current, items: [...everListed.items, ...current.items] };
          return everListed;
        },
      };
    }),
  },
  'replaces only the encrypted secret of the webhook': {
    'rotates the secret instead': rotates,
    'replaces nothing': faultyWebhooks(() => ({ replaceEncrypted: async () => true })),
    'changes updatedAtMs': faultyWebhooks((webhooks, { clock }) => {
      let updatedAtMs: number | undefined;
      return {
        replaceEncrypted: (ref, change) => {
          updatedAtMs = clock.nowMs();
          return webhooks.replaceEncrypted(ref, change);
        },
        find: async (ref) => {
          const record = await webhooks.find(ref);
          return record && { ...record, updatedAtMs: updatedAtMs ?? record.updatedAtMs };
        },
      };
    }),
  },
  'replaces no secret that differs from the expected secret': {
    'rotates the secret instead': rotates,
    'always returns true': faultyResults('webhooks', 'replaceEncrypted', () => true),
  },
  'returns true if replaceEncrypted() is repeated': {
    'returns false when repeated': faultyWebhooks((webhooks) => {
      const replacements = new Set<string>();
      return {
        replaceEncrypted: async (ref, change) => {
          if (replacements.has(change.replacement)) return false;
          replacements.add(change.replacement);
          return webhooks.replaceEncrypted(ref, change);
        },
      };
    }),
  },
  'replaces a secret once under 50 parallel calls, and undoes no rotation': {
    'rotates the secret instead': rotates,
    'reads and writes non-atomically': nonAtomic,
  },
});
