import type { Socket } from 'node:net';
import type { Timers } from '@latchhook/core/delivery';

/** Requests that wait for some time, or for ever. */
export class HeldRequests {
  readonly #timers: Timers;
  readonly #sockets = new Set<Socket>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Resolves after `ms`, or when the sender has closed the connection. */
  async holdFor(ms: number, socket: Socket): Promise<void> {
    if (ms > 0) await this.#hold(socket, (release) => this.#timers.after(ms, release));
  }

  /** Resolves when the sender has closed the connection. */
  async holdUntilClosed(socket: Socket): Promise<void> {
    await this.#hold(socket, () => () => {});
  }

  /** @param startTimer - Starts the timer that calls `release`, and returns a function that cancels the timer. */
  #hold(socket: Socket, startTimer: (release: () => void) => () => void): Promise<void> {
    if (socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        cancelTimer();
        socket.off('close', release);
        this.#sockets.delete(socket);
        resolve();
      };
      this.#sockets.add(socket);
      const cancelTimer = startTimer(release);
      socket.once('close', release);
    });
  }
}
