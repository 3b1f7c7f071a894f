import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryWaking } from './delivery-waking.ts';

const tellsNobody = deliveriesThat(() => ({ subscribe: () => async () => {} }));
/** Tells of what is published alone, and perhaps too early. */
const tellsOfMessages = (isEarly: boolean) =>
  deliveriesThat(({ deliveries }) => {
    const listeners = new Set<() => void>();
    const tell = () => {
      for (const onDue of listeners) onDue();
    };
    return {
      subscribe: (onDue) => {
        listeners.add(onDue);
        return async () => void listeners.delete(onDue);
      },
      publish: async (message) => {
        if (isEarly) tell();
        if (isEarly) await new Promise((resolve) => setImmediate(resolve));
        const answer = await deliveries.publish(message);
        if (!isEarly) tell();
        return answer;
      },
    };
  });

expectWebhookFaultsNoticed(deliveryWaking, {
  'notifies only current subscribers of published messages': {
    'notifies nobody': tellsNobody,
    'notifies subscribers before the message is stored': tellsOfMessages(true),
    'notifies ended subscriptions too': deliveriesThat(({ deliveries }) => ({
      subscribe: (onDue) => {
        deliveries.subscribe?.(onDue);
        return async () => {};
      },
    })),
    'ends all subscriptions when one ends': deliveriesThat(({ deliveries }) => {
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
    'notifies of published messages only': tellsOfMessages(false),
  },
  'notifies subscribers of an enabled webhook': {
    'notifies of published messages only': tellsOfMessages(false),
  },
});
