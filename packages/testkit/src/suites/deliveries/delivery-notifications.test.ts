import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyDeliveries } from '../../self-test/faulty-webhooks.ts';
import { deliveryNotifications } from './delivery-notifications.ts';

const notifiesNobody = faultyDeliveries(() => ({ subscribe: () => async () => {} }));
/** Notifies subscribers only of published messages, before or after each is stored. */
const notifyOfMessages = (isEarly: boolean) =>
  faultyDeliveries(({ deliveries }) => {
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
        if (isEarly) notify();
        if (isEarly) await new Promise((resolve) => setImmediate(resolve));
        const result = await deliveries.publish(message);
        if (!isEarly) notify();
        return result;
      },
    };
  });

expectWebhookFaultsNoticed(deliveryNotifications, {
  'notifies only current subscribers of published messages': {
    'notifies nobody': notifiesNobody,
    'notifies subscribers before the message is stored': notifyOfMessages(true),
    'notifies ended subscriptions too': faultyDeliveries(({ deliveries }) => ({
      subscribe: (onDue) => {
        deliveries.subscribe?.(onDue);
        return async () => {};
      },
    })),
    'ends all subscriptions when one ends': faultyDeliveries(({ deliveries }) => {
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
  'notifies subscribers of resent deliveries': {
    'notifies of published messages only': notifyOfMessages(false),
  },
  'notifies subscribers of an enabled webhook': {
    'notifies of published messages only': notifyOfMessages(false),
  },
});
