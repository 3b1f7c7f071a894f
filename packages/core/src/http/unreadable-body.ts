import type { RequestBody, UnreadableReason } from './messages.ts';

/** The body of a request that was not read, or not to its end. */
export function unreadableBody(reason: UnreadableReason): RequestBody {
  return { kind: 'unreadable', reason };
}
