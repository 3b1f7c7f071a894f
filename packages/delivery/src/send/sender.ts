import type { AccountId } from '@latchhook/core';
import type { SendResult } from './send-result.ts';

/** One attempt of a delivery. */
export interface SendRequest {
  /** Whose webhook it is for. */
  readonly accountId: AccountId;
  readonly url: string;
  /** `webhook-id`. */
  readonly deliveryId: string;
  /** The bytes to send, as text. */
  readonly body: string;
  /** The signing secrets in force, newest first, in the clear. */
  readonly secrets: readonly Uint8Array[];
  /** When this attempt started, ms: `webhook-timestamp`. */
  readonly timestampMs: number;
  /**
   * Asked once, when the request is about to be written; if the answer is no, nothing is sent. The attempt began
   * `connectingMs` ago, as it may have had to connect first. With a dispatcher of the host's, nobody knows when that
   * connects, and the attempt began when it was handed over.
   */
  readonly mayBegin: (connectingMs: number) => boolean;
}

/** `too_late`: nothing was sent, as {@link SendRequest.mayBegin} did not allow it. */
export type SendOutcome = SendResult | 'too_late';

/** Makes attempts over HTTP. */
export interface Sender {
  /** Never rejects: whatever a receiver or the network does is a result. */
  send(request: SendRequest): Promise<SendOutcome>;
  /** Takes no new attempt, lets those in flight end, and closes all connections. Can be called twice. */
  close(): Promise<void>;
}
