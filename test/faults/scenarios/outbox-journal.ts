import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** What hosts said of their transactions, by number. */
export class OutboxJournal {
  readonly begun: Set<number> = new Set();
  readonly committed: Set<number> = new Set();
  readonly rolledBack: Set<number> = new Set();
  /** An error came instead of an answer. */
  readonly failed: Set<number> = new Set();

  /** Reads on until the host has ended, however it did; settles when all it said has been read. */
  async read(output: Readable): Promise<void> {
    const lines = createInterface({ input: output });
    lines.on('line', (line) => {
      const [what = '', nth] = line.split(' ');
      this.#saying(what)?.add(Number(nth));
    });
    await once(lines, 'close');
  }

  /** The first that no host has begun. */
  get next(): number {
    return Math.max(-1, ...this.begun) + 1;
  }

  /** Begun, and nobody was told how it ended. */
  get inDoubt(): readonly number[] {
    return [...this.begun].filter((nth) => !this.committed.has(nth) && !this.rolledBack.has(nth));
  }

  #saying(what: string): Set<number> | undefined {
    switch (what) {
      case 'begun':
        return this.begun;
      case 'committed':
        return this.committed;
      case 'rolled-back':
        return this.rolledBack;
      case 'failed':
        return this.failed;
    }
    return undefined;
  }
}
