import type { SendResult } from './send-result.ts';

/** The status by which a receiver, or what stands before it, says that all is too much (Standard Webhooks). */
const OVERLOADED = new Set([429, 502, 503, 504]);

/** Whether the receiver asks to be left alone for a while. Not by an answer that was cut off, which does not count. */
export function isOverloaded({ status, error }: Pick<SendResult, 'status' | 'error'>): boolean {
  return error === null && status !== null && OVERLOADED.has(status);
}
