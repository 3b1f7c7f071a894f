import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The printed outcomes of the hosts' transactions, by number. */
export class OutboxJournal {
  readonly begun: Set<number> = new Set();
  readonly committed: Set<number> = new Set();
  readonly rolledBack: Set<number> = new Set();
  /** Transactions that failed with an error. */
  readonly failed: Set<number> = new Set();

  /** Reads the output of a host to its end. */
  async read(output: Readable): Promise<void> {
    const lines = createInterface({ input: output });
    lines.on('line', (line) => {
      const [what = '', i] = line.split(' ');
      this.#setOf(what)?.add(Number(i));
    });
    await once(lines, 'close');
  }

  /** The first transaction that no host has begun. */
  get next(): number {
    return Math.max(-1, ...this.begun) + 1;
  }

  /** Transactions that were begun and whose outcome no host knows. */
  get uncertain(): readonly number[] {
    return [...this.begun].filter((i) => !this.committed.has(i) && !this.rolledBack.has(i));
  }

  #setOf(what: string): Set<number> | undefined {
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
