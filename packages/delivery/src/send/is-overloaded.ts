import type { SendResult } from './send-result.ts';

/** The statuses with which a receiver, or a proxy in front of it, reports that it is overloaded (Standard Webhooks). */
const OVERLOADED = new Set([429, 502, 503, 504]);

/** Whether the receiver is overloaded. A response that was cut off does not count. */
export function isOverloaded({ status, error }: Pick<SendResult, 'status' | 'error'>): boolean {
  return error === null && status !== null && OVERLOADED.has(status);
}
