import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyDeliveries } from '../../self-test/faulty-storage.ts';
import { deliveryNotifications } from './delivery-notifications.ts';

const notifiesNobody = faultyDeliveries(() => ({ subscribe: () => async () => {} }));
/** Notifies subscribers only of published messages, before or after each is stored. */
const notifyOfMessages = (order: 'before storing' | 'after storing') =>
  faultyDeliveries((deliveries) => {
    const listeners = new Set<() => void>();
    const notify = () => {
      for (const onDue of listeners) onDue();
    };
    return {
      subscribe: (onDue) => {
        listeners.add(onDue);
        return async () => void listeners.delete(onDue);
      },
      publish: async (message) => {
        if (order === 'before storing') {
          notify();
          await new Promise((resolve) => setImmediate(resolve));
        }
        const result = await deliveries.publish(message);
        if (order === 'after storing') notify();
        return result;
      },
    };
  });

expectWebhookFaultsNoticed(deliveryNotifications, {
  'notifies current subscribers, but no former ones, when a message is published': {
    'notifies nobody': notifiesNobody,
    'notifies subscribers before the message is stored': notifyOfMessages('before storing'),
    'notifies subscribers that have unsubscribed': faultyDeliveries((deliveries) => ({
      subscribe: (onDue) => {
        deliveries.subscribe?.(onDue);
        return async () => {};
      },
    })),
    'ends all subscriptions when one ends': faultyDeliveries((deliveries) => {
      const ends: (() => Promise<void>)[] = [];
      return {
        subscribe: (onDue) => {
          const end = deliveries.subscribe?.(onDue);
          if (end !== undefined) ends.push(end);
          return async () => {
            await Promise.all(ends.map((each) => each()));
          };
        },
      };
    }),
  },
  'notifies subscribers when deliveries are resent': {
    'notifies subscribers of published messages only': notifyOfMessages('after storing'),
  },
  'notifies subscribers when a webhook with due deliveries is enabled': {
    'notifies subscribers of published messages only': notifyOfMessages('after storing'),
  },
  'notifies subscribers when a removal frees a permit of the account': {
    'notifies subscribers of published messages only': notifyOfMessages('after storing'),
  },
});
