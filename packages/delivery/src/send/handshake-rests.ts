import type { Socket } from 'node:net';
import { SendFault } from './send-fault.ts';

/** What a handshake may cost this process, ms, before it counts: many times what one does that is meant well. */
const COSTLY_MS = 25;
/** Fewer bytes ask for less than that. A receiver that hangs, or is away, sends none. */
const COSTLY_BYTES = 2_048;
/** So many times as long its origin rests: an account has a hundred webhooks, which take half of the time then. */
const REST_FACTOR = 200;
/** Of three seconds: more than TLS lets a receiver send to be verified takes. */
const MAX_REST_MS = 600_000;
/** How often it is looked whether the receiver has sent something, ms. */
const LOOK_MS = 25;
/** Those that are remembered at a time. */
const MAX_ORIGINS = 1_000;

/** Of durations, ms. */
export interface HandshakeClock {
  nowMs(): number;
  /** How long the event loop has had something to do. */
  busyMs(): number;
}

const processClock: HandshakeClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
};

/**
 * Lets an origin rest whose handshake cost this process much, and failed. What is verified, the receiver chooses, and
 * Node bounds neither the length of its chain nor the kind of its keys: a hundred certificates over large curves took 214 ms,
 * in which nobody else was served, and could be asked for again by each delivery.
 *
 * Only while the receiver sends does it count how busy the process is: one that falls silent after its certificates, as where
 * it is overloaded, is not to blame for what others have the process do until the timeout. What is done besides just then
 * does count. So where there is much to do, one whose certificate is refused may rest as well: it would be refused again.
 */
export class HandshakeRests {
  readonly #clock: HandshakeClock;
  readonly #underWay = new Map<string, Set<Socket>>();
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
   * To be told when a handshake begins.
   *
   * @param wire - what it goes over; ended, where another of its origin was costly
   * @returns what to call at once when it ends; when the wire is closed, it has failed
   */
  begin(origin: string, wire: Socket): (outcome: 'done' | 'failed') => void {
    const costMs = this.#costOf(wire);
    const siblings = this.#underWay.get(origin) ?? new Set();
    this.#underWay.set(origin, siblings.add(wire));
    const end = (outcome: 'done' | 'failed'): void => {
      if (!siblings.delete(wire)) return;
      if (siblings.size === 0) this.#underWay.delete(origin);
      const ms = costMs();
      const isCostly = ms >= COSTLY_MS && wire.bytesRead > COSTLY_BYTES;
      if (outcome === 'failed' && isCostly) this.#rest(origin, ms);
    };
    wire.once('close', () => end('failed'));
    return end;
  }

  /** @returns tells how long the process has been busy while something came over the wire, ms, and ends looking */
  #costOf(wire: Socket): () => number {
    let costMs = 0;
    let busyMs = this.#clock.busyMs();
    let bytesRead = 0;
    const look = (): void => {
      const busyBeforeMs = busyMs;
      busyMs = this.#clock.busyMs();
      // What was read has been verified in the same turn, so no look comes between.
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
    const [oldest] = this.#restsUntilMs.keys();
    if (this.#restsUntilMs.size >= MAX_ORIGINS && oldest !== undefined)
      this.#restsUntilMs.delete(oldest);
    const restMs = Math.min(costMs * REST_FACTOR, MAX_REST_MS);
    this.#restsUntilMs.set(origin, this.#clock.nowMs() + restMs);
    // Each would cost as much again.
    for (const wire of this.#underWay.get(origin) ?? []) wire.destroy(new SendFault('tls_failed'));
  }
}
