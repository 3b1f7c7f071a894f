import type { Socket } from 'node:net';

/** What a lane does with the oldest bytes that it holds. */
export type LaneDecision = 'forward' | 'hold' | 'drop' | { readonly waitMs: number };

/** One direction of a proxied connection. */
export interface TcpLane {
  /** Asks again about the bytes that are held, as the fault has changed. */
  flush(): void;
}

interface Held {
  /** `end`: the sender will write no more. */
  readonly content: Buffer | 'end';
  readonly arrivedAtMs: number;
}

/**
 * Carries bytes from one socket to another, in order, as `decide` says for each piece.
 *
 * @param decide - gets the age of the oldest piece, ms; asked again after `waitMs`, or at `flush`.
 */
export function openTcpLane(
  from: Socket,
  to: Socket,
  decide: (ageMs: number) => LaneDecision,
): TcpLane {
  const queue: Held[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      const decision = decide(performance.now() - head.arrivedAtMs);
      if (decision === 'hold') return;
      if (typeof decision === 'object') {
        timer = setTimeout(flush, decision.waitMs);
        return;
      }
      queue.shift();
      if (decision === 'forward') deliver(head.content);
    }
  }

  function deliver(content: Buffer | 'end'): void {
    if (!to.writable) return;
    if (content === 'end') to.end();
    else to.write(content);
  }

  function arrive(content: Buffer | 'end'): void {
    queue.push({ content, arrivedAtMs: performance.now() });
    // Otherwise it has to wait for those before it.
    if (queue.length === 1) flush();
  }

  from.on('data', arrive);
  from.on('end', () => arrive('end'));
  // Not when `from` closes: what it sent before is still under way.
  to.on('close', () => clearTimeout(timer));
  return { flush };
}
