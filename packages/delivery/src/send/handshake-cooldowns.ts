import type { Socket } from 'node:net';
import { type CooldownRule, Cooldowns } from './cooldowns.ts';
import { SendFault } from './send-fault.ts';

/** The cost from which a handshake counts, ms of this process: many times that of an ordinary one. */
const COSTLY_MS = 25;
/** Fewer bytes cannot cost that much. A receiver that hangs, or is unavailable, sends none. */
const COSTLY_BYTES = 2_048;
/**
 * More than receivers need for a handshake, as a rule: one that asks for a client certificate, and names all
 * authorities that its system trusts, needs 15,692. What fits into this is verified in some 45 ms, whatever it is.
 */
const UNSUSPECTED_BYTES = 16_384;
/** Per endpoint. A hundred of them could still take half of the time together, hence `OF_ACCOUNT`. */
const OF_ENDPOINT: CooldownRule = { factor: 200, freeMs: 0 };
/**
 * Per account: at most a twentieth of the time, however many endpoints it has. Ten of them, each within its own
 * cooldown, do not exceed this. The first 250 ms are free, so good receivers of the account are left alone.
 */
const OF_ACCOUNT: CooldownRule = { factor: 20, freeMs: 250 };
/** For how long a handshake may have been costly before it counts though it has not failed yet, ms. */
const PENDING_MS = 1_000;
/** How often it is checked whether the receiver has sent anything, ms. */
const LOOK_MS = 25;

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

/** Whom a handshake is counted for. */
export interface HandshakeParties {
  /** Host and port. */
  readonly endpoint: string;
  /** Whose webhook it is for. */
  readonly accountId: number;
}

/**
 * The cooldowns of endpoints whose TLS handshake failed and kept this process busy, and of accounts that had many such.
 * The receiver chooses what a handshake has to verify, and Node bounds neither the length of a chain nor the kind of
 * its keys: a hundred certificates over large curves took 214 ms, during which nobody else was served, and every
 * delivery could cause that again. By endpoint alone, an account that named a new host before each delivery could go on
 * without end.
 *
 * A handshake that succeeded counts as well, if it took more bytes than receivers need. Behind a valid certificate a
 * receiver may send a thousand that belong to no chain: all are read, and none is to blame for anything.
 *
 * Busy time counts only while the receiver sends: one that falls silent after its certificates, for instance because it
 * is overloaded, is not to blame for what the process does until the timeout. Other work at that very moment counts
 * too. So in a busy process any endpoint whose certificate is refused may cool down; it would be refused again anyway.
 * One that is accepted may as well if it takes more bytes than the bound: its deliveries then wait until that has
 * passed. Meanwhile an endpoint costs its account nothing, so that one bad receiver does not keep an account from its
 * good ones.
 *
 * Where accounts share an endpoint that is costly, one of them pays for each handshake, and it cools down for all of
 * them.
 */
export class HandshakeCooldowns {
  readonly #clock: HandshakeClock;
  readonly #endpoints: Cooldowns<string>;
  readonly #accounts: Cooldowns<number>;
  /** Of the handshakes that have not ended, by wire. */
  readonly #pending = new Map<Socket, HandshakeParties>();

  constructor(clock: HandshakeClock = processClock) {
    this.#clock = clock;
    this.#endpoints = new Cooldowns(OF_ENDPOINT, () => clock.nowMs());
    this.#accounts = new Cooldowns(OF_ACCOUNT, () => clock.nowMs());
  }

  isCoolingDown({ endpoint, accountId }: HandshakeParties): boolean {
    return this.#endpoints.isCoolingDown(endpoint) || this.#accounts.isCoolingDown(accountId);
  }

  /**
   * Notes that a handshake begins.
   *
   * @param wire - the socket below TLS. It is destroyed if its endpoint or account has to cool down meanwhile.
   * @returns a function to call as soon as the handshake ends, before any content is read. If the wire closes before
   * that, it has failed.
   */
  begin(parties: HandshakeParties, wire: Socket): (outcome: 'done' | 'failed') => void {
    let chargedMs = 0;
    const charge = (costMs: number): void => {
      const ms = costMs - chargedMs;
      if (ms < COSTLY_MS || wire.bytesRead <= COSTLY_BYTES) return;
      chargedMs = costMs;
      this.#charge(parties, ms, wire);
    };
    // Otherwise the receiver could have the certificates of hundreds verified before it lets the first of them fail.
    const costMs = this.#costOf(wire, charge);
    this.#pending.set(wire, parties);
    const end = (outcome: 'done' | 'failed'): void => {
      if (!this.#pending.delete(wire)) return;
      const ms = costMs();
      if (outcome === 'failed' || wire.bytesRead > UNSUSPECTED_BYTES) charge(ms);
      else if (chargedMs > 0) this.#forgive(parties, chargedMs);
    };
    wire.once('close', () => end('failed'));
    return end;
  }

  /**
   * Watches the wire.
   *
   * @param charge - called with the cost so far again and again once it has been high for long.
   * @returns a function that ends this, and answers for how long the process was busy while bytes came.
   */
  #costOf(wire: Socket, charge: (costMs: number) => void): () => number {
    let costMs = 0;
    let costlySinceMs = Infinity;
    let busyMs = this.#clock.busyMs();
    let bytesRead = 0;
    const look = (): void => {
      const busyBeforeMs = busyMs;
      busyMs = this.#clock.busyMs();
      // Bytes are verified in the same turn of the event loop in which they are read, so no check comes in between.
      if (wire.bytesRead > bytesRead) costMs += busyMs - busyBeforeMs;
      bytesRead = wire.bytesRead;
    };
    const looks = setInterval(() => {
      look();
      const nowMs = this.#clock.nowMs();
      if (costMs >= COSTLY_MS) costlySinceMs = Math.min(costlySinceMs, nowMs);
      if (nowMs - costlySinceMs >= PENDING_MS) charge(costMs);
    }, LOOK_MS);
    looks.unref();
    return () => {
      clearInterval(looks);
      look();
      return costMs;
    };
  }

  /** One that succeeds with an ordinary chain is no attack, however slow process and receiver are. */
  #forgive({ endpoint, accountId }: HandshakeParties, costMs: number): void {
    this.#endpoints.forgive(endpoint, costMs);
    this.#accounts.forgive(accountId, costMs);
  }

  #charge({ endpoint, accountId }: HandshakeParties, costMs: number, charged: Socket): void {
    this.#endpoints.charge(endpoint, costMs);
    this.#accounts.charge(accountId, costMs);
    // Each of these would cost as much again. The one that is charged has had its cost, and may still succeed.
    for (const [wire, parties] of this.#pending) {
      if (wire !== charged && this.isCoolingDown(parties))
        wire.destroy(new SendFault('tls_failed'));
    }
  }
}
