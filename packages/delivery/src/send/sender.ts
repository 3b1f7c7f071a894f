import type { AccountId } from '@latchhook/core';
import type { SendResult } from './send-result.ts';

/** The request of one attempt. */
export interface SendRequest {
  /** The owner of the webhook. */
  readonly accountId: AccountId;
  readonly url: string;
  /** `webhook-id`. */
  readonly deliveryId: string;
  /** The bytes to send, as text. */
  readonly body: string;
  /** The current signing secrets, newest first, decrypted. */
  readonly secrets: readonly Uint8Array[];
  /** When this attempt started, ms: `webhook-timestamp`. */
  readonly timestampMs: number;
  /**
   * Called once, when the request is about to be written; if it returns `false`, nothing is sent. `connectingMs` is the
   * time for which a new connection was waited for; 0 for a kept one, and with a dispatcher of the host, which does not
   * report when it connects.
   */
  readonly mayBegin: (connectingMs: number) => boolean;
}

/** `too_late`: nothing was sent because {@link SendRequest.mayBegin} did not allow it. */
export type SendOutcome = SendResult | 'too_late';

/** Sends attempts over HTTP. */
export interface Sender {
  /** Never rejects: every failure of the receiver or the network is a result. */
  send(request: SendRequest): Promise<SendOutcome>;
  /** Rejects new attempts, waits for those in flight, and closes all connections. Can be called twice. */
  close(): Promise<void>;
}
