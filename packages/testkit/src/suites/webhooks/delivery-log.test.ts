import type { AttemptRecord, DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryLog } from './delivery-log.ts';

/** Finds deliveries with another log, made from the kept attempts and from all that ever were. */
function logsThat(
  change: (
    kept: readonly AttemptRecord[],
    all: readonly AttemptRecord[],
  ) => readonly AttemptRecord[],
) {
  return deliveriesThat(({ deliveries }) => {
    const all = new Map<number, AttemptRecord>();
    return {
      find: async (ref) => {
        const record = await deliveries.find(ref);
        for (const each of record?.attempts ?? []) {
          if (!all.has(each.attempt)) all.set(each.attempt, each);
        }
        return record && { ...record, attempts: change(record.attempts, [...all.values()]) };
      },
    };
  });
}

function listsThat(list: (deliveries: DeliveryStore) => DeliveryStore['list']) {
  return deliveriesThat(({ deliveries }) => ({ list: list(deliveries) }));
}

const forgetsNoAnswer = logsThat((kept, all) => all.slice(-kept.length));

expectWebhookFaultsNoticed(deliveryLog, {
  'keeps the newest attempts, and the answers to fewer of them': {
    'forgets no attempt': logsThat((kept, all) => [...all.slice(0, -kept.length), ...kept]),
    'forgets no answer': forgetsNoAnswer,
    'forgets the newest': logsThat((kept, all) => (kept.length < 20 ? kept : all.slice(0, 20))),
    'keeps fewer': logsThat((kept) => kept.slice(-19)),
    'keeps the newest answers, however old their attempts are': logsThat((kept, all) => {
      const answers = all.filter(({ response }) => response !== null).slice(-5);
      return kept.map((each) => answers.find(({ attempt }) => attempt === each.attempt) ?? each);
    }),
    'keeps an answer less while an attempt is in flight': deliveriesThat(({ deliveries }) => ({
      find: async (ref) => {
        const record = await deliveries.find(ref);
        if (record?.state !== 'sending') return record;
        const attempts = record.attempts.map((each, index) =>
          index < record.attempts.length - 4 ? { ...each, response: null } : each,
        );
        return { ...record, attempts };
      },
    })),
    'takes an empty answer for none': logsThat((kept) =>
      kept.map((each) => ({ ...each, response: each.response || null })),
    ),
  },
  'also makes room for an attempt that is lost': {
    'counts those alone that ended': logsThat((kept, all) =>
      kept.at(-1)?.error === 'lost' ? [...all.slice(0, -1), ...kept.slice(-1)] : kept,
    ),
  },
  'continues if a delivery is sent again': {
    'starts over': deliveriesThat(({ deliveries }) => {
      let seen = 0;
      return {
        resend: async (ref) => {
          seen = (await deliveries.find(ref))?.attempts.length ?? 0;
          return deliveries.resend(ref);
        },
        find: async (ref) => {
          const record = await deliveries.find(ref);
          return record && { ...record, attempts: record.attempts.slice(seen) };
        },
      };
    }),
  },
  'is listed without the answers to attempts': {
    'lists what it finds': listsThat((deliveries) => async (ref, page) => {
      const listed = (await deliveries.list(ref, page)) ?? [];
      const records = await Promise.all(listed.map((each) => deliveries.find(each)));
      return records.filter((record) => record !== null);
    }),
    'lists no attempts': listsThat((deliveries) => async (ref, page) => {
      const listed = (await deliveries.list(ref, page)) ?? [];
      return listed.map((each) => ({ ...each, attempts: [] }));
    }),
    'lists that there was none': listsThat((deliveries) => async (ref, page) => {
      const listed = (await deliveries.list(ref, page)) ?? [];
      return listed.map((each) => ({
        ...each,
        attempts: each.attempts.map((attempt) => ({ ...attempt, response: null })),
      }));
    }),
  },
  'is listed in full pages except the last, even if much in between is forgotten': {
    'ends a page where it meets what is forgotten': listsThat((deliveries) => async (ref, page) => {
      const listed = (await deliveries.list(ref, page)) ?? [];
      const newest = listed[0]?.sequence ?? 0;
      return listed.filter(({ sequence }, nth) => newest - sequence === nth);
    }),
    'lists what is forgotten': deliveriesThat(({ deliveries }) => ({
      publish: ({ retentionMs, ...message }) =>
        deliveries.publish({ ...message, retentionMs: 2 * retentionMs }),
    })),
  },
});
