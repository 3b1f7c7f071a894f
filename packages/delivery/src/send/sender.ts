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
}

/** Makes attempts over HTTP. */
export interface Sender {
  /** Never rejects: whatever a receiver or the network does is a result. */
  send(request: SendRequest): Promise<SendResult>;
  /** Takes no new attempt, lets those under way end, and closes all connections. Can be called twice. */
  close(): Promise<void>;
}
