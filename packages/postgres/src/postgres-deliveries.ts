import {
  type CallDeadline,
  type DeliveryStore,
  type Outbox,
  PublishTurns,
} from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { countPending } from './functions/deliveries/count-pending.ts';
import { findDelivery } from './functions/deliveries/find-delivery.ts';
import { finishDelivery } from './functions/deliveries/finish-delivery.ts';
import { listDeliveries } from './functions/deliveries/list-deliveries.ts';
import { listOverdue } from './functions/deliveries/list-overdue.ts';
import { listUnreleased } from './functions/deliveries/list-unreleased.ts';
import { measureLag } from './functions/deliveries/measure-lag.ts';
import { publishMessage } from './functions/deliveries/publish-message.ts';
import { recoverDeliveries } from './functions/deliveries/recover-deliveries.ts';
import { releaseDeliveries } from './functions/deliveries/release-deliveries.ts';
import { rescheduleDeliveries } from './functions/deliveries/reschedule-deliveries.ts';
import { resendDelivery } from './functions/deliveries/resend-delivery.ts';
import { startDelivery } from './functions/deliveries/start-delivery.ts';

/**
 * How many calls of one account may publish at once: each holds a connection of the pool. They lock the same webhooks,
 * so more of them would be no faster.
 */
const PUBLISHING = { server: 'PostgreSQL', calls: 4 };

/** Deliveries in PostgreSQL: each method is one call of a function. */
export function postgresDeliveries(
  call: CallFunction,
  newDeadline: () => CallDeadline,
  outbox: Outbox,
): DeliveryStore {
  const turns = new PublishTurns(PUBLISHING);
  return {
    outbox,
    publish: (message) => {
      const deadline = newDeadline();
      const publish = () => publishMessage(call, message, deadline);
      return turns.take(message.accountId, deadline, publish);
    },
    start: (request) => startDelivery(call, request),
    finish: (request) => finishDelivery(call, request),
    resend: (ref) => resendDelivery(call, ref),
    recover: (ref, request) => recoverDeliveries(call, ref, request),
    release: (ref, request) => releaseDeliveries(call, ref, request),
    unreleased: (request) => listUnreleased(call, request),
    reschedule: (ref, request) => rescheduleDeliveries(call, ref, request),
    overdue: (request) => listOverdue(call, request),
    find: (ref) => findDelivery(call, ref),
    list: (ref, page) => listDeliveries(call, ref, page),
    countPending: () => countPending(call),
    lagMs: () => measureLag(call),
  };
}
