import { defineRecord } from './define-record.ts';

/**
 * An entry of a log, as `queue/list` returns it: `message` is the first line of its message, `text` that of the
 * delivery.
 */
export const LOG_ENTRY = defineRecord({
  added: ['deliveryId', 'sequence', 'message', 'text', 'retryAtMs', 'isWaiting'],
});
