import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { AccountId } from '@latchhook/core';

/**
 * The connection that one request uses. undici takes a kept connection, or calls the connector, which reports the new
 * connection here.
 */
export class ConnectionUse {
  /** The owner of the webhook. */
  readonly accountId: AccountId;
  #connectingSinceMs: number | undefined;
  #wire: Socket | undefined;
  #abandoned: Error | undefined;

  constructor(accountId: AccountId) {
    this.accountId = accountId;
  }

  /** `false`: a kept connection, which the receiver may have closed while it was idle. */
  get isNew(): boolean {
    return this.#connectingSinceMs !== undefined;
  }

  /** How long a new connection has been connecting, ms; 0: a kept one. */
  get connectingMs(): number {
    return this.#connectingSinceMs === undefined ? 0 : performance.now() - this.#connectingSinceMs;
  }

  /** Called when a new connection is opened over this socket. */
  connectBy(wire: Socket): void {
    this.#connectingSinceMs = performance.now();
    this.#wire = wire;
    if (this.#abandoned !== undefined) wire.destroy(this.#abandoned);
  }

  /** Closes the connection that is being opened for a request that has ended. undici itself would go on connecting. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    this.#wire?.destroy(reason);
  }
}
