import type { Socket } from 'node:net';

/** What a lane does with its oldest piece. */
export type LaneDecision = 'forward' | 'hold' | 'drop' | { readonly waitMs: number };

/** One direction of a proxied connection. */
export interface TcpLane {
  /** Decides again about the held pieces, after the fault has changed. */
  flush(): void;
}

interface HeldPiece {
  /** `end`: the sender has ended its side. */
  readonly content: Buffer | 'end';
  readonly arrivedAtMs: number;
}

/**
 * Carries bytes from one socket to another in order. `decide` is called for each piece.
 *
 * @param decide - gets the age of the oldest piece, ms; called again after `waitMs`, or at `flush`.
 */
export function openTcpLane(
  from: Socket,
  to: Socket,
  decide: (ageMs: number) => LaneDecision,
): TcpLane {
  const queue: HeldPiece[] = [];
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
    // Otherwise the piece waits for earlier pieces.
    if (queue.length === 1) flush();
  }

  from.on('data', arrive);
  from.on('end', () => arrive('end'));
  // Not when `from` closes: its earlier pieces may still be in the queue.
  to.on('close', () => clearTimeout(timer));
  return { flush };
}
