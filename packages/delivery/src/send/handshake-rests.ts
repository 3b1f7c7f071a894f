import type { Socket } from 'node:net';
import { SendFault } from './send-fault.ts';

/** The cost from which a handshake counts, ms of this process: many times that of an honest one. */
const COSTLY_MS = 25;
/** Fewer bytes cannot cost that much. A receiver that hangs, or is away, sends none. */
const COSTLY_BYTES = 2_048;
/** How many times as long its origin rests: the hundred webhooks of one account then take half of the time at most. */
const REST_FACTOR = 200;
/** The rest after three seconds, which is more than all that a receiver may send in a handshake takes to verify. */
const MAX_REST_MS = 600_000;
/** How often it is checked whether the receiver has sent anything, ms. */
const LOOK_MS = 25;
/** How many resting origins are remembered. */
const MAX_ORIGINS = 1_000;

/** Measures durations, in ms. */
export interface HandshakeClock {
  nowMs(): number;
  /** For how long in all the event loop has been busy. */
  busyMs(): number;
}

const processClock: HandshakeClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
};

/**
 * Lets an origin rest whose TLS handshake failed and kept this process busy. The receiver chooses what a handshake has to
 * verify, and Node bounds neither the length of a chain nor the kind of its keys: a hundred certificates over large curves
 * took 214 ms, during which nobody else was served, and every delivery could cause that again.
 *
 * Busy time counts only while the receiver sends: one that falls silent after its certificates, for instance because it is
 * overloaded, is not to blame for what the process does until the timeout. Other work at that very moment counts too. So in
 * a busy process any origin whose certificate is refused may rest; it would be refused again anyway.
 */
export class HandshakeRests {
  readonly #clock: HandshakeClock;
  /** The origins of handshakes under way, by wire. */
  readonly #underWay = new Map<Socket, string>();
  readonly #restsUntilMs = new Map<string, number>();

  constructor(clock: HandshakeClock = processClock) {
    this.#clock = clock;
  }

  isResting(origin: string): boolean {
    const untilMs = this.#restsUntilMs.get(origin);
    if (untilMs === undefined) return false;
    if (this.#clock.nowMs() < untilMs) return true;
    this.#restsUntilMs.delete(origin);
    return false;
  }

  /**
   * Notes that a handshake begins.
   *
   * @param wire - the socket below TLS. It is destroyed if another handshake with the same origin turns out costly.
   * @returns a function to call as soon as the handshake ends. If the wire closes before that, it has failed.
   */
  begin(origin: string, wire: Socket): (outcome: 'done' | 'failed') => void {
    const costMs = this.#costOf(wire);
    this.#underWay.set(wire, origin);
    const end = (outcome: 'done' | 'failed'): void => {
      if (!this.#underWay.delete(wire)) return;
      const ms = costMs();
      const isCostly = ms >= COSTLY_MS && wire.bytesRead > COSTLY_BYTES;
      if (outcome === 'failed' && isCostly) this.#rest(origin, ms);
    };
    wire.once('close', () => end('failed'));
    return end;
  }

  /** Watches the wire. @returns a function that ends this, and answers for how long the process was busy while bytes came. */
  #costOf(wire: Socket): () => number {
    let costMs = 0;
    let busyMs = this.#clock.busyMs();
    let bytesRead = 0;
    const look = (): void => {
      const busyBeforeMs = busyMs;
      busyMs = this.#clock.busyMs();
      // Bytes are verified in the same turn of the event loop in which they are read, so no check comes in between.
      if (wire.bytesRead > bytesRead) costMs += busyMs - busyBeforeMs;
      bytesRead = wire.bytesRead;
    };
    const looks = setInterval(look, LOOK_MS);
    looks.unref();
    return () => {
      clearInterval(looks);
      look();
      return costMs;
    };
  }

  #rest(origin: string, costMs: number): void {
    this.#restsUntilMs.delete(origin);
    const [oldest] = this.#restsUntilMs.keys();
    if (this.#restsUntilMs.size >= MAX_ORIGINS && oldest !== undefined)
      this.#restsUntilMs.delete(oldest);
    const restMs = Math.min(costMs * REST_FACTOR, MAX_REST_MS);
    this.#restsUntilMs.set(origin, this.#clock.nowMs() + restMs);
    // Each of these would cost as much again.
    for (const [wire, itsOrigin] of this.#underWay) {
      if (itsOrigin === origin) wire.destroy(new SendFault('tls_failed'));
    }
  }
}
