import type { Connection } from './connection.ts';
import { atEndOfTurn } from './end-of-turn.ts';

/**
 * The most idle sockets, over all origins. Otherwise a client that changes the URL of a webhook before each attempt
 * would have the app hold thousands, until it can open no more for anybody.
 */
const MAX_IDLE = 256;

/** Connections that are kept for the attempts to come. Those that are too many are discarded. */
export class IdleConnections {
  /** Of each origin, the one that was added last is last. */
  readonly #byOrigin = new Map<string, Connection[]>();
  #count = 0;
  #isAboutToTrim = false;

  add(connection: Connection): void {
    const siblings = this.#byOrigin.get(connection.origin);
    if (siblings === undefined) this.#byOrigin.set(connection.origin, [connection]);
    else siblings.push(connection);
    this.#count += 1;
    if (this.#count > MAX_IDLE) this.#trimSoon();
  }

  /** Takes out the one to this origin that was added last. */
  take(origin: string): Connection | undefined {
    const siblings = this.#byOrigin.get(origin);
    const connection = siblings?.pop();
    if (connection !== undefined) this.#count -= 1;
    if (siblings?.length === 0) this.#byOrigin.delete(origin);
    return connection;
  }

  /** @returns whether it was among them */
  delete(connection: Connection): boolean {
    const siblings = this.#byOrigin.get(connection.origin) ?? [];
    const index = siblings.indexOf(connection);
    if (index === -1) return false;
    siblings.splice(index, 1);
    this.#count -= 1;
    if (siblings.length === 0) this.#byOrigin.delete(connection.origin);
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
    const [siblings] = this.#byOrigin.values();
    const oldest = siblings?.[0];
    if (oldest !== undefined && this.delete(oldest)) oldest.discard();
  }
}
