import type {
  DeliveryRecord,
  DeliveryStore,
  NewMessage,
  PublishOutcome,
} from '@latchhook/core/storage';
import { noticeBrokenWebhooks } from '../../self-test/notice-broken-webhooks.ts';
import { deliveriesThat } from '../../self-test/webhooks-that.ts';
import { deliveryPublishing } from './delivery-publishing.ts';

/** Publishes another message than it was given. */
function publishesThat(change: (message: NewMessage) => Partial<NewMessage>) {
  return deliveriesThat(({ deliveries }) => ({
    publish: (message) => deliveries.publish({ ...message, ...change(message) }),
  }));
}

/** Publishes correctly, but answers something else. */
function answersThat(change: (answer: PublishOutcome) => PublishOutcome) {
  return deliveriesThat(({ deliveries }) => ({
    publish: async (message) => change(await deliveries.publish(message)),
  }));
}

/** Finds deliveries with changed records. */
function recordsThat(change: (record: DeliveryRecord) => DeliveryRecord) {
  return deliveriesThat(({ deliveries }) => ({
    find: async (ref) => {
      const record = await deliveries.find(ref);
      return record && change(record);
    },
  }));
}

const knowsNoKey = publishesThat(() => ({ idempotencyKey: null }));
const forgetsNothing = publishesThat(() => ({ retentionMs: Number.MAX_SAFE_INTEGER / 2 }));

noticeBrokenWebhooks(deliveryPublishing, {
  'makes a delivery for every webhook of the account that is for the event': {
    'schedules one of them': answersThat((answer) =>
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
    'takes it for a mistake': answersThat((answer) =>
      'deliveries' in answer && answer.deliveries === 0 ? { outcome: 'unknown' } : answer,
    ),
  },
  'holds deliveries to a disabled webhook': {
    'does not count it': answersThat((answer) =>
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
  'publishes once under one idempotency key, for idempotencyMs': {
    'knows no key': knowsNoKey,
    'keeps a key for ever': publishesThat(() => ({
      idempotencyMs: Number.MAX_SAFE_INTEGER / 2,
    })),
    'answers the id that it was given': deliveriesThat(({ deliveries }) => ({
      publish: async (message) => {
        const answer = await deliveries.publish(message);
        if (answer.outcome !== 'duplicate') return answer;
        return { ...answer, messageId: message.messageId };
      },
    })),
  },
  'keeps the idempotency keys of accounts apart': {
    'has one account': publishesThat(() => ({ accountId: 7 })),
  },
  'publishes a message id once': {
    'knows keys only': deliveriesThat(({ deliveries }) => {
      const published = new Set<string>();
      const again = (message: NewMessage) => ({ ...message, messageId: `${message.messageId}+` });
      return {
        publish: (message) => {
          const isKnown = published.has(message.messageId);
          published.add(message.messageId);
          return deliveries.publish(isKnown ? again(message) : message);
        },
      };
    }),
    'takes the body of the second': deliveriesThat(({ deliveries }) => {
      let body = '';
      return {
        publish: (message) => {
          body = message.body;
          return deliveries.publish(message);
        },
        start: async (request) => {
          const answer = await deliveries.start(request);
          return answer.outcome === 'started' ? { ...answer, body } : answer;
        },
      };
    }),
  },
  'returns the deliveries that never started to a repeated publish': {
    'hands nothing': answersThat((answer) =>
      answer.outcome === 'duplicate' ? { ...answer, scheduled: [] } : answer,
    ),
    'hands all': deliveriesThat(({ deliveries }) => {
      let first: PublishOutcome | undefined;
      return {
        publish: async (message) => {
          const answer = await deliveries.publish(message);
          first ??= answer;
          if (answer.outcome !== 'duplicate' || first.outcome !== 'published') return answer;
          return { ...answer, scheduled: first.scheduled };
        },
      };
    }),
  },
  'reaches the one webhook that a message names, whatever its event': {
    'goes by the event nevertheless': publishesThat(() => ({ webhookId: null })),
  },
  'stores nothing for a webhook of another account': {
    'takes it for one without webhooks': answersThat((answer) =>
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
    'does not say what died': answersThat((answer) =>
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
