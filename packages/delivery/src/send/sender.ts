import type { SendResult } from './send-result.ts';

/** One attempt of a delivery. */
export interface SendRequest {
  readonly url: string;
  /** `webhook-id`. */
  readonly deliveryId: string;
  /** The bytes to send, as text. */
  readonly body: string;
  /** Those that sign now, newest first, in the clear. */
  readonly secrets: readonly Uint8Array[];
  /** When this attempt started, ms: `webhook-timestamp`. */
  readonly timestampMs: number;
  /**
   * From now, ms. What has not begun by then is not made: the rate would be exceeded. It begins when it is written, or
   * when it connects where it has to. Through a dispatcher of the host's it begins at once.
   */
  readonly beginWithinMs: number;
}

/** Makes attempts over HTTP. */
export interface Sender {
  /**
   * Never rejects: whatever a receiver or the network does is a result. `null`: nothing was sent, see `beginWithinMs`.
   */
  send(request: SendRequest): Promise<SendResult | null>;
  /** Takes no new attempt, lets those under way end, and closes all connections. Can be called twice. */
  close(): Promise<void>;
}
