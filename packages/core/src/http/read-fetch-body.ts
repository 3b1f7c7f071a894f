import { BodyBytes, unreadableBody } from './body-bytes.ts';
import type { RequestBody, UnreadableReason } from './messages.ts';
import { MAX_REQUEST_BYTES } from './read-body.ts';
import { BODY_READ_LIMIT_MS } from './read-node-body.ts';

/** Reads the body of a Fetch request, with the same limits as `readNodeBody`. Never hangs, never rejects. */
export async function readFetchBody(request: Request): Promise<RequestBody> {
  if (request.bodyUsed) return unreadableBody('consumed');
  if (request.body === null) return { kind: 'none' };
  // The host has a reader, and may have read a part of the body.
  if (request.body.locked) return unreadableBody('consumed');
  const reader = request.body.getReader();
  const giveUp = (reason: UnreadableReason): RequestBody => {
    // Not awaited: a source that never finishes cancelling must not delay the response.
    reader.cancel().catch(() => {});
    return unreadableBody(reason);
  };

  if (Number(request.headers.get('content-length')) > MAX_REQUEST_BYTES) return giveUp('too_large');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), BODY_READ_LIMIT_MS);
  });
  const bytes = new BodyBytes(MAX_REQUEST_BYTES);
  try {
    for (;;) {
      const result = await Promise.race([reader.read(), timeout]);
      if (result === 'timeout') return giveUp('timeout');
      if (result.done) break;
      // A stream that the host has created may contain other values, in spite of its type.
      if (!(result.value instanceof Uint8Array)) return giveUp('aborted');
      if (!bytes.add(result.value)) return giveUp('too_large');
    }
  } catch {
    return unreadableBody('aborted');
  } finally {
    clearTimeout(timer);
  }
  return bytes.take();
}
