import type { Connection } from './connection.ts';
import { atEndOfTurn } from './end-of-turn.ts';

/**
 * The most idle sockets, over all origins. Otherwise a client that changes the URL of a webhook before each attempt
 * would have the app hold thousands, until it can open no more for anybody.
 */
const MAX_IDLE = 256;

interface Origin {
  /** The one that was added last is last. */
  readonly connections: Connection[];
  /** How many had been added to all origins by then. */
  lastAddedAt: number;
}

/** Connections that are kept for the attempts to come. Those that are too many are discarded. */
export class IdleConnections {
  readonly #byOrigin = new Map<string, Origin>();
  #count = 0;
  #addedSoFar = 0;
  #isAboutToTrim = false;

  add(connection: Connection): void {
    this.#addedSoFar += 1;
    this.#count += 1;
    const origin = this.#byOrigin.get(connection.origin);
    if (origin === undefined) {
      const connections = [connection];
      this.#byOrigin.set(connection.origin, { connections, lastAddedAt: this.#addedSoFar });
    } else {
      origin.connections.push(connection);
      origin.lastAddedAt = this.#addedSoFar;
    }
    if (this.#count > MAX_IDLE) this.#trimSoon();
  }

  /** Takes out the one to this origin that was added last. */
  take(origin: string): Connection | undefined {
    const connections = this.#byOrigin.get(origin)?.connections;
    const connection = connections?.pop();
    if (connection !== undefined) this.#count -= 1;
    if (connections?.length === 0) this.#byOrigin.delete(origin);
    return connection;
  }

  /** @returns whether it was among them */
  delete(connection: Connection): boolean {
    const connections = this.#byOrigin.get(connection.origin)?.connections ?? [];
    const index = connections.indexOf(connection);
    if (index === -1) return false;
    connections.splice(index, 1);
    this.#count -= 1;
    if (connections.length === 0) this.#byOrigin.delete(connection.origin);
    return true;
  }

  clear(): void {
    this.#byOrigin.clear();
    this.#count = 0;
  }

  /**
   * In the next turn: connections whose answers came in this one are idle only until the attempts that follow use them.
   */
  #trimSoon(): void {
    if (this.#isAboutToTrim) return;
    this.#isAboutToTrim = true;
    atEndOfTurn(() =>
      atEndOfTurn(() => {
        this.#isAboutToTrim = false;
        while (this.#count > MAX_IDLE) this.#discardOldest();
      }),
    );
  }

  /** Takes the origin that has been idle longest, though not always that origin's longest idle connection. */
  #discardOldest(): void {
    let idlest: Origin | undefined;
    for (const origin of this.#byOrigin.values()) {
      if (idlest === undefined || origin.lastAddedAt < idlest.lastAddedAt) idlest = origin;
    }
    const oldest = idlest?.connections[0];
    if (oldest !== undefined && this.delete(oldest)) oldest.discard();
  }
}
