import { defineRecord } from './define-record.ts';

/** A claimed attempt, as `queue/claim` answers it: `message` is the text of its message. */
export const CLAIMED = defineRecord({
  added: ['deliveryId', 'attempt', 'sequence', 'failures', 'notCounted', 'message'],
});

/** An entry of a log, as `queue/list` answers it: `message` is the first line of its message, `text` the delivery's. */
export const LOG_ENTRY = defineRecord({
  added: ['deliveryId', 'sequence', 'message', 'text', 'retryAtMs', 'isWaiting'],
});
