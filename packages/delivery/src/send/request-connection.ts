import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
// Imported rather than global because tests replace the global ones with a fake clock while their sockets are real.
import { clearInterval, setInterval } from 'node:timers';
import type { AccountId } from '@latchhook/core';

/** How often the time of connecting is measured, ms. */
const TICK_MS = 25;
/** The most that is counted between two ticks, ms. Beyond it, this process was paused or busy. */
const MOST_COUNTED_MS = 2 * TICK_MS;

/**
 * The connection that one request uses. undici takes a kept connection, or calls the connector, which reports the new
 * connection here.
 */
export class RequestConnection {
  /** The owner of the webhook. */
  readonly accountId: AccountId;
  /** `false`: a kept connection, which the receiver may have closed while it was idle. */
  isNew = false;
  #connectingMs = 0;
  #tickedAtMs = 0;
  #stopTicks = (): void => {};
  #wire: Socket | undefined;
  #abandoned: Error | undefined;

  constructor(accountId: AccountId) {
    this.accountId = accountId;
  }

  /** Called when a new connection is opened over this socket. */
  connectBy(wire: Socket): void {
    this.isNew = true;
    this.#wire = wire;
    this.#tickedAtMs = performance.now();
    const ticks = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#stopTicks = () => clearInterval(ticks);
    wire.once('close', this.#stopTicks);
    if (this.#abandoned !== undefined) wire.destroy(this.#abandoned);
  }

  /**
   * Called when the connection is open. Returns how long it was waited for, ms; 0: it was kept. Time in which this
   * process was paused or busy is not counted, as the connection may have been open by then.
   */
  endConnecting(): number {
    if (this.isNew) this.#tick();
    this.#stopTicks();
    return this.#connectingMs;
  }

  /** Closes the connection that is being opened for a request that has ended. undici itself would go on connecting. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    this.#wire?.destroy(reason);
  }

  #tick(): void {
    const nowMs = performance.now();
    this.#connectingMs += Math.min(nowMs - this.#tickedAtMs, MOST_COUNTED_MS);
    this.#tickedAtMs = nowMs;
  }
}
