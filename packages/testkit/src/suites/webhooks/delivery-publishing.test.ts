import type { DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  forgetsNothing,
  publicationsThat,
  publishesThat,
  recordsThat,
} from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryPublishing } from './delivery-publishing.ts';

expectWebhookFaultsNoticed(deliveryPublishing, {
  'makes a delivery for every webhook of the account that is for the event': {
    'schedules one of them': publicationsThat((answer) =>
      'scheduled' in answer ? { ...answer, scheduled: answer.scheduled.slice(0, 1) } : answer,
    ),
    'makes the others later': deliveriesThat(({ deliveries }) => ({
      countPending: async () => Math.min(1, await deliveries.countPending()),
    })),
    'knows no event': deliveriesThat(({ webhooks, deliveries }) => ({
      publish: async (message) => {
        const all = await webhooks.list(message.accountId, { limit: 100, after: null });
        const answer = await deliveries.publish(message);
        return answer.outcome === 'published' ? { ...answer, deliveries: all.length } : answer;
      },
    })),
  },
  'keeps a delivery as published, queued and due': {
    'knows no time for it': recordsThat((record) => ({ ...record, nextAttemptAtMs: null })),
    'dates it by the clock on the wall': recordsThat((record) => ({ ...record, createdAtMs: 0 })),
    'shows the body too': recordsThat((record) => ({ ...record, body: '{}' })),
    'has it wait': recordsThat((record) => ({ ...record, state: 'waiting' })),
  },
  'lists the deliveries of a webhook, newest first, page by page': {
    'lists the oldest first': deliveriesThat(({ deliveries }) => ({
      list: async (ref, page) => (await deliveries.list(ref, page))?.toReversed() ?? null,
    })),
    'repeats the last of a page': deliveriesThat(({ deliveries }) => ({
      list: async (ref, { limit, after }) => {
        const page = await deliveries.list(ref, { limit, after: after && after + 1 });
        return page?.length === 1 ? [] : page;
      },
    })),
    'takes no webhook for one without deliveries': deliveriesThat(({ deliveries }) => ({
      list: async (ref, page) => (await deliveries.list(ref, page)) ?? [],
    })),
  },
  'shows a delivery to its own account only': {
    'looks deliveries up by webhook': deliveriesThat(({ deliveries }) => ({
      find: (ref) => deliveries.find({ ...ref, accountId: 7 }),
    })),
    'lists them by webhook': deliveriesThat(({ deliveries }) => ({
      list: (ref, page) => deliveries.list({ ...ref, accountId: 7 }, page),
    })),
    'starts them by webhook': deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, accountId: 7 }),
    })),
  },
  'succeeds without any webhook': {
    'takes it for a mistake': publicationsThat((answer) =>
      'deliveries' in answer && answer.deliveries === 0 ? { outcome: 'unknown' } : answer,
    ),
  },
  'holds deliveries to a disabled webhook': {
    'does not count it': publicationsThat((answer) =>
      answer.outcome === 'published' ? { ...answer, deliveries: answer.scheduled.length } : answer,
    ),
    'schedules it': deliveriesThat(({ webhooks, deliveries }) => ({
      publish: async (message) => {
        for (const ref of await webhooks.list(message.accountId, { limit: 9, after: null })) {
          await webhooks.enable(ref);
        }
        return deliveries.publish(message);
      },
    })),
    'drops it': recordsThat((record) =>
      record.state === 'held' ? { ...record, state: 'dead' } : record,
    ),
  },
  'reaches the one webhook that a message names, whatever its event': {
    'goes by the event nevertheless': publishesThat(() => ({ webhookId: null })),
  },
  'stores nothing for a webhook of another account': {
    'takes it for one without webhooks': publicationsThat((answer) =>
      answer.outcome === 'unknown'
        ? { outcome: 'published', messageId: 'm1', deliveries: 0, scheduled: [], expired: [] }
        : answer,
    ),
    'knows the message afterwards': deliveriesThat(({ deliveries }) => {
      const seen = new Set<string>();
      const publish: DeliveryStore['publish'] = async (message) => {
        const { messageId } = message;
        const answer = await deliveries.publish(message);
        if (answer.outcome === 'published' && seen.has(messageId)) {
          return { outcome: 'duplicate', messageId, deliveries: 0, scheduled: [] };
        }
        seen.add(messageId);
        return answer;
      };
      return { publish };
    }),
  },
  'gives up the oldest delivery never tried, if too many wait': {
    'knows no bound': publishesThat(() => ({ maxQueued: 1_000 })),
    'is one too strict': publishesThat(({ maxQueued }) => ({ maxQueued: maxQueued - 1 })),
    'does not say what died': publicationsThat((answer) =>
      answer.outcome === 'published' ? { ...answer, expired: [] } : answer,
    ),
    'gives another reason': recordsThat((record) => ({
      ...record,
      deadReason: record.deadReason && 'exhausted',
    })),
  },
  'counts what waits for each webhook separately': {
    'counts all together': publishesThat(({ maxQueued }) => ({ maxQueued: maxQueued - 1 })),
  },
  'forgets message and deliveries after retentionMs': {
    'forgets nothing': forgetsNothing,
    'forgets in half the time': publishesThat(({ retentionMs }) => ({
      retentionMs: retentionMs / 2,
    })),
    'counts what is forgotten': deliveriesThat(({ deliveries }) => ({
      countPending: async () => 1 + (await deliveries.countPending()),
    })),
  },
});
