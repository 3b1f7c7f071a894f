import type { Timers } from '@latchhook/core/delivery';
import type { Cluster, Redis } from 'ioredis';
import type { FaultReporter } from '../fault-reporter.ts';
import {
  type BullmqConnection,
  MAX_RECONNECT_DELAY_MS,
  type OutageRules,
  onDuplicate,
  openConnection,
} from './bullmq-connections.ts';

/** What the connections of a queue are opened with. */
export interface QueueConnectionsDeps {
  readonly connection: BullmqConnection;
  readonly report: FaultReporter;
  readonly timers: Timers;
}

/** Every connection that a queue has made, duplicates of BullMQ's included, even if its opening failed afterwards. */
export class QueueConnections {
  readonly #deps: QueueConnectionsDeps;
  readonly #made: (Redis | Cluster)[] = [];
  #mayReconnect = true;

  constructor(deps: QueueConnectionsDeps) {
    this.#deps = deps;
  }

  async open(rules: Omit<OutageRules, 'mayReconnect'>): Promise<Redis | Cluster> {
    const { connection, report } = this.#deps;
    const mayReconnect = (): boolean => this.#mayReconnect;
    const opened = await openConnection(connection, { ...rules, mayReconnect });
    opened.on('error', report);
    this.#made.push(opened);
    onDuplicate(opened, (duplicate) => this.#made.push(duplicate));
    return opened;
  }

  /** Has those that are lost stay so: the queue closes, and what waits for one is refused. */
  stopReconnecting(): void {
    this.#mayReconnect = false;
  }

  /**
   * Where Redis is unavailable, waits until every connection has tried again and given up: BullMQ waits for a
   * connection to end, and ioredis never emits that while it pauses between two tries.
   */
  async readyOrGivenUp(): Promise<void> {
    if (this.#made.every(({ status }) => status === 'ready')) return;
    await new Promise<void>((resolve) => {
      this.#deps.timers.after(MAX_RECONNECT_DELAY_MS, resolve);
    });
  }

  disconnect(): void {
    for (const connection of this.#made) {
      // One that has ended already would keep the process alive for the two seconds that ioredis waits for its end.
      if (connection.status !== 'end') connection.disconnect();
    }
  }
}
