import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyDeliveries, faultyStorage } from '../../self-test/faulty-storage.ts';
import { nonAtomic, unshared } from '../../self-test/reference.ts';
import { webhookRaces } from './webhook-races.ts';

const readsThenWrites = { 'reads and writes non-atomically': nonAtomic };

/** Returns before it removes, changes or disables, like a job queue. */
const returnsTooEarly = faultyStorage(({ webhooks, deliveries }) => ({
  webhooks: {
    ...webhooks,
    remove: async (ref) => {
      void nextTurn().then(() => webhooks.remove(ref));
      return true;
    },
    change: async (ref, change) => {
      const record = await webhooks.find(ref);
      void nextTurn().then(() => webhooks.change(ref, change));
      return record && { ...record, ...change };
    },
  },
  deliveries: {
    ...deliveries,
    complete: async (ends, limits) => {
      if (ends.every(({ outcome }) => outcome.kind !== 'failed')) {
        return deliveries.complete(ends, limits);
      }
      void nextTurn().then(() => deliveries.complete(ends, limits));
      return ends.map(() => ({ outcome: 'completed', disabled: 'gone' }));
    },
  },
}));

expectWebhookFaultsNoticed(webhookRaces, {
  'creates no more than maxPerAccount webhooks under 50 parallel calls': {
    ...readsThenWrites,
    'keeps separate data for each connection': unshared,
  },
  'returns enabled to one of 20 parallel calls of enable()': readsThenWrites,
  'publishes one message under 100 parallel calls with the same id': {
    ...readsThenWrites,
    'keeps separate data for each connection': unshared,
  },
  'shows concurrent readers all deliveries of a message or none': {
    'stores deliveries one by one, and returns unknown': faultyDeliveries(
      (deliveries, { webhooks }) => ({
        publish: async (message) => {
          const registered = await webhooks.list(message.accountId, { limit: 9, after: null });
          for (const { webhookId } of registered) {
            const messageId = `${message.messageId} ${webhookId}`;
            await deliveries.publish({ ...message, messageId, webhookId });
          }
          return deliveries.publish({ ...message, webhookId: 'none' });
        },
      }),
    ),
    'creates deliveries one by one': faultyDeliveries((deliveries, { webhooks }) => ({
      publish: async (message) => {
        const listed = await webhooks.list(message.accountId, { limit: 100, after: null });
        for (const { webhookId } of listed.slice(1)) {
          const messageId = `${message.messageId} to ${webhookId}`;
          await deliveries.publish({ ...message, messageId, webhookId });
          await nextTurn();
        }
        const [first] = listed;
        return deliveries.publish({ ...message, webhookId: first?.webhookId ?? null });
      },
    })),
  },
  'leaves no delivery of a webhook that is removed while messages are published': {
    ...readsThenWrites,
    'returns before it removes, changes or disables': returnsTooEarly,
  },
  'claims no attempt after remove() has returned': {
    'returns before it removes, changes or disables': returnsTooEarly,
  },
  'claims no attempt after a webhook was disabled': {
    'returns before it removes, changes or disables': returnsTooEarly,
  },
  'claims attempts with the new URL once change() has returned': {
    'returns before it removes, changes or disables': returnsTooEarly,
  },
});
