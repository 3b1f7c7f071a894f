import type { Sender } from '../send/sender.ts';

/** A sender that is opened at its first use, as that takes a while. */
export interface LazySender extends Sender {
  /** `null` once the sender is open; until then a promise that settles when it is. */
  ready(): Promise<void> | null;
}

/** @param open - called at the first use, and at the next one if it failed */
export function lazySender(open: () => Promise<Sender>): LazySender {
  let opening: Promise<Sender> | null = null;
  let opened: Sender | null = null;

  async function prepare(): Promise<Sender> {
    opening ??= open().catch((error) => {
      // The next use opens it again.
      opening = null;
      throw error;
    });
    opened = await opening;
    return opened;
  }

  return {
    ready: () => (opened === null ? prepare().then(() => {}) : null),
    send: (request) =>
      opened === null ? prepare().then((sender) => sender.send(request)) : opened.send(request),
    async close() {
      await (await opening?.catch(() => null))?.close();
    },
  };
}
