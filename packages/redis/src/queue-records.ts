import { defineRecord } from './define-record.ts';

/**
 * An entry of a log, as `queue/list` returns it: `message` is the first line of the message, `text` is `deliveryText`.
 */
export const LOG_ENTRY = defineRecord({
  added: ['deliveryId', 'sequence', 'message', 'text', 'retryAtMs', 'isWaiting'],
});
