import type { SqlDefinition } from '../define-function.ts';
import { claimAttemptsFunction } from './queue/claim-attempts.ts';
import { completeAttemptsFunction } from './queue/complete-attempts.ts';
import {
  lockAccount,
  lockCappingShared,
  tryLockAccount,
  tryLockCapping,
} from './queue/internal/account-lock.ts';
import { expireExcess, queuedBeyond } from './queue/internal/expire-excess.ts';
import { forgetExpired, forgetMessages } from './queue/internal/forget-messages.ts';
import { knownMessage } from './queue/internal/known-message.ts';
import { notifyWorkers } from './queue/internal/notify-workers.ts';
import { recipients } from './queue/internal/recipients.ts';
import { recordTime } from './queue/internal/record-time.ts';
import { recoverStalled } from './queue/internal/recover-stalled.ts';
import { storeMessages } from './queue/internal/store-messages.ts';
import { takeArrivals } from './queue/internal/take-arrivals.ts';
import { takeHeads } from './queue/internal/take-heads.ts';
import { takeOutbox } from './queue/internal/take-outbox.ts';
import { unblockCapped } from './queue/internal/unblock-capped.ts';
import { updateAfterAttempts } from './queue/internal/update-after-attempts.ts';
import { listQueueFunction } from './queue/list-queue.ts';
import { measureQueuesFunction } from './queue/measure-queues.ts';
import { publishMessagesFunction } from './queue/publish-messages.ts';
import { redeliverFailedFunction, redeliverFunction, startOver } from './queue/redeliver.ts';
import { writeOutboxFunction } from './queue/write-outbox.ts';

/** The functions of the queues of webhooks. */
export const QUEUE_FUNCTIONS: readonly SqlDefinition[] = [
  lockAccount,
  tryLockAccount,
  lockCappingShared,
  tryLockCapping,
  notifyWorkers,
  unblockCapped,
  recordTime,
  forgetMessages,
  forgetExpired,
  queuedBeyond,
  expireExcess,
  knownMessage,
  recipients,
  storeMessages,
  takeOutbox,
  takeArrivals,
  recoverStalled,
  takeHeads,
  updateAfterAttempts,
  startOver,
  publishMessagesFunction,
  writeOutboxFunction,
  claimAttemptsFunction,
  completeAttemptsFunction,
  redeliverFunction,
  redeliverFailedFunction,
  listQueueFunction,
  measureQueuesFunction,
];
