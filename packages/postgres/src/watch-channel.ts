import { AsyncResource } from 'node:async_hooks';
import type { EndListening, Listener } from './database/database.ts';

/** The wait after a connection was lost or could not be had, ms; doubled each time, up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Calls back at every notification on a channel, and whenever it begins to listen, since notifications in between are
 * lost. Never throws: its caller polls besides.
 *
 * @param listenOnce - begins to listen, or fails, within bounded time.
 * @returns a function that ends it.
 */
export function watchChannel(
  listenOnce: (listener: Listener) => Promise<EndListening | null>,
  onNotified: () => void,
): () => Promise<void> {
  let isEnded = false;
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let listening: Promise<void>;
  let unlisten: EndListening | null = null;
  // In the async context of the one who watches: a pooled socket calls back in that of the request that it was opened
  // for.
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
    pauseMs = FIRST_PAUSE_MS;
    if (!isEnded) onNotified();
  }

  function listenLater(): void {
    unlisten = null;
    if (isEnded) return;
    timer = setTimeout(() => {
      listening = listen();
    }, pauseMs);
    timer.unref();
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }

  listening = listen();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await listening;
    // A connection that fails now listens no more either.
    await unlisten?.().catch(() => {});
  };
}
