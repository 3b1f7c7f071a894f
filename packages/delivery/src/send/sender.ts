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
   * Asked once, when the request is about to be written: where the answer is no, nothing is sent. `connectingMs` ago is
   * when the attempt began: it may have had to connect first. Through a dispatcher of the host's, of which nobody knows
   * when it connects, it began when it was handed over.
   */
  readonly mayBegin: (connectingMs: number) => boolean;
}

/** Makes attempts over HTTP. */
export interface Sender {
  /**
   * Never rejects: whatever a receiver or the network does is a result. `null`: nothing was sent, see `mayBegin`.
   */
  send(request: SendRequest): Promise<SendResult | null>;
  /** Takes no new attempt, lets those under way end, and closes all connections. Can be called twice. */
  close(): Promise<void>;
}
