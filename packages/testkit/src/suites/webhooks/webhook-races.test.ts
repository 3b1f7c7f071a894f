import { setImmediate as turn } from 'node:timers/promises';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  readThenWriteWebhooks,
  storesThat,
  webhooksOfEachConnection,
} from '../../self-test/faulty-webhooks.ts';
import { webhookRaces } from './webhook-races.ts';

const readsThenWrites = { 'reads, then writes': readThenWriteWebhooks };

/** Removes, changes and disables as a job queue would: answers first, and acts later. */
const isLate = storesThat(({ webhooks, deliveries }) => ({
  webhooks: {
    ...webhooks,
    remove: async (ref) => {
      void turn().then(() => webhooks.remove(ref));
      return true;
    },
    change: async (ref, change) => {
      const record = await webhooks.find(ref);
      void turn().then(() => webhooks.change(ref, change));
      return record && { ...record, ...change };
    },
  },
  deliveries: {
    ...deliveries,
    complete: async (ends, limits) => {
      if (ends.every(({ outcome }) => outcome.kind !== 'failed')) {
        return deliveries.complete(ends, limits);
      }
      void turn().then(() => deliveries.complete(ends, limits));
      return ends.map(() => ({ outcome: 'completed', disabled: 'gone' }));
    },
  },
}));

expectWebhookFaultsNoticed(webhookRaces, {
  'an account gets no more webhooks than allowed by asking in parallel': {
    ...readsThenWrites,
    'keeps to itself what it has': webhooksOfEachConnection,
  },
  'one of 20 parallel calls enables the webhook': readsThenWrites,
  '100 parallel publishes of one message id make one message': {
    ...readsThenWrites,
    'keeps to itself what it has': webhooksOfEachConnection,
  },
  'a message is seen with all of its deliveries, or with none': {
    'makes one delivery after the other': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        publish: async (message) => {
          const listed = await webhooks.list(message.accountId, { limit: 100, after: null });
          for (const { webhookId } of listed.slice(1)) {
            const messageId = `${message.messageId} to ${webhookId}`;
            await deliveries.publish({ ...message, messageId, webhookId });
            await turn();
          }
          const [first] = listed;
          return deliveries.publish({ ...message, webhookId: first?.webhookId ?? null });
        },
      },
    })),
  },
  'a message goes to a webhook that is being removed whole, or not at all': {
    ...readsThenWrites,
    'is late': isLate,
  },
  'no attempt is claimed after a removal was answered': { 'is late': isLate },
  'no attempt is claimed after a webhook was disabled': { 'is late': isLate },
  'every attempt follows a change that was answered before it was claimed': { 'is late': isLate },
});
