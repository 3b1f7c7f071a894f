import type { Socket } from 'node:net';
import type { AccountId } from '@latchhook/core';

/**
 * The connection that one request uses. undici takes a kept connection, or calls the connector, which reports the new
 * connection here.
 */
export class ConnectionUse {
  /** The owner of the webhook. */
  readonly accountId: AccountId;
  /** `false`: a kept connection, which the receiver may have closed while it was idle. */
  isNew = false;
  #wire: Socket | undefined;
  #abandoned: Error | undefined;

  constructor(accountId: AccountId) {
    this.accountId = accountId;
  }

  /** Called when a new connection is opened over this socket. */
  connectBy(wire: Socket): void {
    this.isNew = true;
    this.#wire = wire;
    if (this.#abandoned !== undefined) wire.destroy(this.#abandoned);
  }

  /** Closes the connection that is being opened for a request that has ended. undici itself would go on connecting. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    this.#wire?.destroy(reason);
  }
}
