import { setImmediate as turn } from 'node:timers/promises';
import type { WebhookRef, WebhookStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { readThenWriteWebhooks, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookConditionalChange } from './webhook-conditional-change.ts';

const looksAtNothing = webhooksThat(({ webhooks }) => ({
  changeIf: async (ref, { change }) => {
    const webhook = await webhooks.change(ref, change);
    return webhook && { outcome: 'changed', webhook };
  },
}));

const looksAtTheUrlAlone = webhooksThat(({ webhooks }) => ({
  changeIf: (ref, { expected: { url }, change }) =>
    webhooks.changeIf(ref, { expected: url === undefined ? {} : { url }, change }),
}));

const looksThenWrites = webhooksThat(({ webhooks }) => ({
  changeIf: async (ref, { expected, change }) => {
    const record = await webhooks.find(ref);
    await turn();
    if (record === null || record.url !== expected.url)
      return record && { outcome: 'differs', webhook: record };
    const webhook = await webhooks.change(ref, change);
    return webhook && { outcome: 'changed', webhook };
  },
}));

function byIdAlone(webhooks: WebhookStore): Partial<WebhookStore> {
  let owner: WebhookRef | undefined;
  return {
    create: (webhook, limits) => {
      owner = webhook;
      return webhooks.create(webhook, limits);
    },
    changeIf: (ref, condition) => webhooks.changeIf(owner ?? ref, condition),
  };
}

expectWebhookFaultsNoticed(webhookConditionalChange, {
  'change the given fields, and nothing else': {
    'changes nothing': webhooksThat(({ webhooks }) => ({
      changeIf: async (ref) => {
        const webhook = await webhooks.find(ref);
        return webhook && { outcome: 'changed', webhook };
      },
    })),
    'does not say when': webhooksThat(({ webhooks }) => ({
      changeIf: async (ref, condition) => {
        const before = await webhooks.find(ref);
        const answer = await webhooks.changeIf(ref, condition);
        const updatedAtMs = before?.updatedAtMs ?? 0;
        return answer && { ...answer, webhook: { ...answer.webhook, updatedAtMs } };
      },
    })),
    'changes what it answers only': webhooksThat(({ webhooks, clock }) => ({
      changeIf: async (ref, { change }) => {
        const record = await webhooks.find(ref);
        const webhook = record && { ...record, ...change, updatedAtMs: clock.nowMs() };
        return webhook && { outcome: 'changed', webhook };
      },
    })),
    'expects what is not given to be absent': webhooksThat(({ webhooks }) => ({
      changeIf: async (ref, { expected, change }) => {
        const webhook = await webhooks.find(ref);
        if (webhook === null || expected.url === undefined)
          return webhook && { outcome: 'differs', webhook };
        return webhooks.changeIf(ref, { expected, change });
      },
    })),
  },
  'change nothing if any field differs, and answer the present webhook': {
    'looks at nothing': looksAtNothing,
    'looks at the URL alone': looksAtTheUrlAlone,
    'says what there might be': webhooksThat(({ webhooks }) => ({
      changeIf: async (ref, condition) => {
        const answer = await webhooks.changeIf(ref, condition);
        return answer && { ...answer, webhook: { ...answer.webhook, ...condition.change } };
      },
    })),
  },
  'are answered like the first when sent again, and change nothing more': {
    'finds that what it wrote differs': webhooksThat(({ webhooks }) => ({
      changeIf: async (ref, condition) => {
        const webhook = await webhooks.find(ref);
        if (webhook === null || webhook.url !== condition.change.url)
          return webhooks.changeIf(ref, condition);
        return { outcome: 'differs', webhook };
      },
    })),
    'dates it again': webhooksThat(({ webhooks, clock }) => ({
      changeIf: async (ref, condition) => {
        const answer = await webhooks.changeIf(ref, condition);
        const updatedAtMs = clock.nowMs();
        return answer && { ...answer, webhook: { ...answer.webhook, updatedAtMs } };
      },
    })),
    'looks at nothing': looksAtNothing,
  },
  'find a webhook for its own account only, and none that was removed': {
    'looks webhooks up by their ids': webhooksThat(({ webhooks }) => byIdAlone(webhooks)),
    'keeps what it removes': webhooksThat(({ webhooks }) => ({
      remove: async (ref) => (await webhooks.find(ref)) !== null,
    })),
  },
  'succeed once of 50 in parallel that expect the same': {
    'reads, then writes': readThenWriteWebhooks,
    'looks, then writes': looksThenWrites,
  },
  'overwrite no other change': {
    'reads, then writes': readThenWriteWebhooks,
    'looks, then writes': looksThenWrites,
  },
});
