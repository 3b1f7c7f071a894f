import type { Sender } from '../send/sender.ts';

/** A sender that is opened at its first use because that takes a while. */
export interface LazySender extends Sender {
  /** Opens the sender, unless it is open. */
  open(): Promise<void>;
}

/** @param openSender - called at the first use; if it fails, the next use calls it again */
export function lazySender(openSender: () => Promise<Sender>): LazySender {
  let opening: Promise<Sender> | null = null;

  async function getSender(): Promise<Sender> {
    opening ??= openSender().catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  return {
    async open() {
      await getSender();
    },
    send: async (request) => (await getSender()).send(request),
    async close() {
      const sender = await opening?.catch(() => null);
      await sender?.close();
    },
  };
}
