import type { WebhookStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { readThenWriteWebhooks, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookReencryption } from './webhook-re-encryption.ts';

type Page = Awaited<ReturnType<WebhookStore['listEncrypted']>>;

/** Answers other pages than the reference, which has only one. */
function pagesThat(show: (page: Page, limit: number) => Page) {
  return webhooksThat(({ webhooks }) => ({
    listEncrypted: async (page) => show(await webhooks.listEncrypted(page), page.limit),
  }));
}

/** Makes the secret the current one, as a rotation does. */
const rotates = webhooksThat(({ webhooks }) => ({
  replaceEncrypted: async (ref, { replacement }) => {
    const record = await webhooks.rotateSecret(ref, { encrypted: replacement, overlapMs: 0 });
    return record !== null;
  },
}));

expectWebhookFaultsNoticed(webhookReencryption, {
  'continues after a page whose webhooks were all removed': {
    'stops at an empty page': webhooksThat(({ webhooks }) => {
      const everSeen: string[] = [];
      return {
        create: (webhook, limits) => {
          everSeen.push(webhook.webhookId);
          return webhooks.create(webhook, limits);
        },
        listEncrypted: async ({ limit, cursor }) => {
          const from = Number(cursor ?? 0);
          const ids = everSeen.slice(from, from + limit);
          const { items } = await webhooks.listEncrypted({ limit, cursor: null });
          const page = items.filter(({ owner }) => ids.includes(owner.webhookId));
          return { items: page, nextCursor: page.length === 0 ? null : String(from + limit) };
        },
      };
    }),
  },
  'lists the secrets of every account’s webhooks': {
    'lists the first page only': pagesThat(({ items }, limit) => ({
      items: items.slice(0, limit),
      nextCursor: null,
    })),
    'lists one account only': pagesThat(({ items, nextCursor }) => ({
      items: items.filter(({ owner }) => owner.accountId === 1),
      nextCursor,
    })),
  },
  'lists current and overlapping secrets, but none that is retired or removed': {
    'lists the first secret only': pagesThat(({ items, nextCursor }) => ({
      items: items.slice(0, 1),
      nextCursor,
    })),
    'lists retired secrets': webhooksThat(({ webhooks }) => {
      let known: Page = { items: [], nextCursor: null };
      return {
        listEncrypted: async (page) => {
          const now = await webhooks.listEncrypted(page);
          known = { ...now, items: [...known.items, ...now.items] };
          return known;
        },
      };
    }),
  },
  'replaces the encrypted secret, and changes nothing else of the webhook': {
    'rotates the secret instead': rotates,
    'replaces nothing': webhooksThat(() => ({ replaceEncrypted: async () => true })),
    'changes updatedAtMs': webhooksThat(({ webhooks, clock }) => {
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
  'replaces no secret other than the expected one': {
    'rotates the secret instead': rotates,
    'always returns true': webhooksThat(({ webhooks }) => ({
      replaceEncrypted: async (ref, change) =>
        (await webhooks.replaceEncrypted(ref, change)) || true,
    })),
  },
  'returns true again when repeated': {
    'returns false when repeated': webhooksThat(({ webhooks }) => {
      const done = new Set<string>();
      return {
        replaceEncrypted: async (ref, change) => {
          if (done.has(change.replacement)) return false;
          done.add(change.replacement);
          return webhooks.replaceEncrypted(ref, change);
        },
      };
    }),
  },
  'replaces a secret once under 50 parallel calls, and keeps a secret rotated meanwhile': {
    'rotates the secret instead': rotates,
    'reads and writes non-atomically': readThenWriteWebhooks,
  },
});
