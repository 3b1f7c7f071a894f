import type { SqlDefinition } from '../define-function.ts';
import { countOutboxFunction } from './deliveries/count-outbox.ts';
import { countPendingFunction } from './deliveries/count-pending.ts';
import { findDeliveryFunction } from './deliveries/find-delivery.ts';
import { finishDeliveryFunction } from './deliveries/finish-delivery.ts';
import { beginRun, hold, scheduledAs } from './deliveries/internal/begin-run.ts';
import { deferStart } from './deliveries/internal/defer-start.ts';
import {
  beginBehind,
  dropForgotten,
  dropForgottenRetries,
  dropFromLines,
} from './deliveries/internal/drop-forgotten.ts';
import { endUnderWay } from './deliveries/internal/end-under-way.ts';
import { expireOldest } from './deliveries/internal/expire-oldest.ts';
import { forget } from './deliveries/internal/forget.ts';
import { giveReceipt } from './deliveries/internal/give-receipt.ts';
import { lineUp, obstacleTo } from './deliveries/internal/line-up.ts';
import {
  inFlight,
  inTurns,
  joined,
  leaveLines,
  placeOf,
  rankOf,
  withoutForgotten,
} from './deliveries/internal/lines.ts';
import { lockRecipients } from './deliveries/internal/lock-recipients.ts';
import { logAttempt } from './deliveries/internal/log-attempt.ts';
import { nextInLine, whoseTurn } from './deliveries/internal/next-in-line.ts';
import { noteFailure } from './deliveries/internal/note-failure.ts';
import { duplicate, publishedBefore } from './deliveries/internal/published-before.ts';
import {
  firstInWindow,
  freeStarts,
  nextTurnMs,
  noteStart,
  pauseEnd,
  startAt,
  windowMs,
  withdrawStart,
} from './deliveries/internal/rate.ts';
import { saveDelivery, saveWebhook } from './deliveries/internal/save.ts';
import { spreadMessage } from './deliveries/internal/spread-message.ts';
import { listDeliveriesFunction } from './deliveries/list-deliveries.ts';
import { listOverdueFunction } from './deliveries/list-overdue.ts';
import { listUnreleasedFunction } from './deliveries/list-unreleased.ts';
import { measureLagFunction } from './deliveries/measure-lag.ts';
import { measureOutboxLagFunction } from './deliveries/measure-outbox-lag.ts';
import { publishMessageFunction } from './deliveries/publish-message.ts';
import { publishWithinFunction } from './deliveries/publish-within.ts';
import { recoverDeliveriesFunction } from './deliveries/recover-deliveries.ts';
import { releaseDeliveriesFunction } from './deliveries/release-deliveries.ts';
import { rescheduleDeliveriesFunction } from './deliveries/reschedule-deliveries.ts';
import { resendDeliveryFunction } from './deliveries/resend-delivery.ts';
import { startDeliveryFunction } from './deliveries/start-delivery.ts';
import { takeCommittedFunction } from './deliveries/take-committed.ts';
import { changeWebhookFunction } from './webhooks/change-webhook.ts';
import { createWebhookFunction } from './webhooks/create-webhook.ts';
import { enableWebhookFunction } from './webhooks/enable-webhook.ts';
import { findWebhookFunction } from './webhooks/find-webhook.ts';
import { signingSecrets, webhookRecord } from './webhooks/internal/webhook-record.ts';
import { listSealedWebhooksFunction } from './webhooks/list-sealed-webhooks.ts';
import { listWebhooksFunction } from './webhooks/list-webhooks.ts';
import { removeWebhookFunction } from './webhooks/remove-webhook.ts';
import { replaceSealedWebhookSecretFunction } from './webhooks/replace-sealed-webhook-secret.ts';
import { rotateWebhookSecretFunction } from './webhooks/rotate-webhook-secret.ts';

/** The functions of webhooks and deliveries: first the steps, then the transitions. */
export const WEBHOOK_FUNCTIONS: readonly SqlDefinition[] = [
  signingSecrets,
  webhookRecord,
  windowMs,
  startAt,
  firstInWindow,
  pauseEnd,
  freeStarts,
  nextTurnMs,
  placeOf,
  inTurns,
  inFlight,
  rankOf,
  withoutForgotten,
  obstacleTo,
  lineUp,
  joined,
  leaveLines,
  noteStart,
  withdrawStart,
  saveWebhook,
  saveDelivery,
  beginRun,
  hold,
  scheduledAs,
  whoseTurn,
  nextInLine,
  logAttempt,
  deferStart,
  endUnderWay,
  noteFailure,
  forget,
  dropForgotten,
  dropForgottenRetries,
  dropFromLines,
  beginBehind,
  expireOldest,
  lockRecipients,
  duplicate,
  publishedBefore,
  giveReceipt,
  spreadMessage,
  createWebhookFunction,
  findWebhookFunction,
  listWebhooksFunction,
  changeWebhookFunction,
  rotateWebhookSecretFunction,
  enableWebhookFunction,
  removeWebhookFunction,
  listSealedWebhooksFunction,
  replaceSealedWebhookSecretFunction,
  publishMessageFunction,
  publishWithinFunction,
  takeCommittedFunction,
  startDeliveryFunction,
  finishDeliveryFunction,
  resendDeliveryFunction,
  recoverDeliveriesFunction,
  releaseDeliveriesFunction,
  listUnreleasedFunction,
  rescheduleDeliveriesFunction,
  listOverdueFunction,
  findDeliveryFunction,
  listDeliveriesFunction,
  countPendingFunction,
  measureLagFunction,
  countOutboxFunction,
  measureOutboxLagFunction,
];
