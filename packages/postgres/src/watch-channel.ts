import { AsyncResource } from 'node:async_hooks';
import type { EndListening, Listener } from './database/database.ts';

/**
 * The delay before listening again after a connection was lost or not available, ms. It doubles each time, up to the
 * longest.
 */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Calls `onNotified` at every notification on a channel, and each time it begins to listen because notifications before
 * the beginning are lost. Never throws because its caller also polls.
 *
 * @param listenOnce - begins to listen, or rejects, within a timeout; `null` if it never can
 * @returns a function that stops listening
 */
export function watchChannel(
  listenOnce: (listener: Listener) => Promise<EndListening | null>,
  onNotified: () => void,
): () => Promise<void> {
  let isEnded = false;
  let retryMs = FIRST_RETRY_MS;
  let timer: NodeJS.Timeout | undefined;
  let listening: Promise<void>;
  let unlisten: EndListening | null = null;
  // Callbacks run in the async context of the caller. Otherwise they would run in the context of the request for which
  // the pool opened its socket.
  const listener: Listener = {
    onNotified: AsyncResource.bind(onNotified),
    onLost: AsyncResource.bind(listenLater),
  };

  async function listen(): Promise<void> {
    try {
      unlisten = await listenOnce(listener);
    } catch {
      listenLater();
      return;
    }
    retryMs = FIRST_RETRY_MS;
    if (!isEnded) onNotified();
  }

  function listenLater(): void {
    unlisten = null;
    if (isEnded) return;
    timer = setTimeout(() => {
      listening = listen();
    }, retryMs);
    timer.unref();
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
  }

  listening = listen();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await listening;
    // A connection that fails now has also stopped listening.
    await unlisten?.().catch(() => {});
  };
}
