import type { Sender } from '../send/sender.ts';

/** A sender that is made when it is first needed, since that takes a while. */
export interface LazySender extends Sender {
  /** `null` once it sends without delay; until then settles when it does. */
  ready(): Promise<void> | null;
}

/** @param open - called at the first use, and again if it failed */
export function lazySender(open: () => Promise<Sender>): LazySender {
  let opening: Promise<Sender> | null = null;
  let opened: Sender | null = null;

  async function prepare(): Promise<Sender> {
    opening ??= open().catch((error) => {
      // The next attempt tries again.
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
