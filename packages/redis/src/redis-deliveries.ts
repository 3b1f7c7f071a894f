import { type CallDeadline, type DeliveryStore, PublishTurns } from '@latchhook/core/storage';
import type { CallScript } from './script-caller.ts';
import { countPending } from './scripts/deliveries/count-pending.ts';
import { findDelivery } from './scripts/deliveries/find-delivery.ts';
import { finishDelivery } from './scripts/deliveries/finish-delivery.ts';
import { listDeliveries } from './scripts/deliveries/list-deliveries.ts';
import { listOverdue } from './scripts/deliveries/list-overdue.ts';
import { listUnreleased } from './scripts/deliveries/list-unreleased.ts';
import { measureLag } from './scripts/deliveries/measure-lag.ts';
import { publishMessage } from './scripts/deliveries/publish-message.ts';
import { recoverDeliveries } from './scripts/deliveries/recover-deliveries.ts';
import { releaseDeliveries } from './scripts/deliveries/release-deliveries.ts';
import { rescheduleDeliveries } from './scripts/deliveries/reschedule-deliveries.ts';
import { resendDelivery } from './scripts/deliveries/resend-delivery.ts';
import { startDelivery } from './scripts/deliveries/start-delivery.ts';
import type { WebhookKeys } from './webhook-keyspace.ts';

/** Of one account, at once: the calls of all others wait for up to 5 ms while Redis makes so many deliveries. */
const PUBLISHING = { server: 'Redis', calls: 4, deliveries: 256 };

/**
 * Deliveries in Redis: each method is one script, which `reschedule`, `overdue` and `list` may run several times. Calls
 * of `publish`, `start` and `finish` may share a command (ADR 54).
 */
export function redisDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  newDeadline: () => CallDeadline,
): DeliveryStore {
  const turns = new PublishTurns(PUBLISHING);
  return {
    publish: (message) => {
      const deadline = newDeadline();
      const publish = () => publishMessage(call, keys, message, deadline);
      return turns.take(message.accountId, deadline, publish);
    },
    start: (request) => startDelivery(call, keys, request),
    finish: (request) => finishDelivery(call, keys, request),
    resend: (ref) => resendDelivery(call, keys, ref),
    recover: (ref, request) => recoverDeliveries(call, keys, ref, request),
    release: (ref, request) => releaseDeliveries(call, keys, ref, request),
    unreleased: (request) => listUnreleased(call, keys, request),
    reschedule: (ref, request) => rescheduleDeliveries(call, keys, ref, request, newDeadline()),
    overdue: (request) => listOverdue(call, keys, request, newDeadline()),
    find: (ref) => findDelivery(call, keys, ref),
    list: (ref, page) => listDeliveries(call, keys, ref, page, newDeadline()),
    countPending: () => countPending(call, keys),
    lagMs: () => measureLag(call, keys),
  };
}
