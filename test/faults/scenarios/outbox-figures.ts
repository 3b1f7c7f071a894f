import type { ListedDelivery } from '@latchhook/core/storage';
import type { OutboxJournal } from './outbox-journal.ts';

/** A row that a host wrote in the transaction of the event: it shows which transactions have committed. */
export interface CommittedEvent {
  readonly account_id: number;
  /** The version of the account, which counts commits. */
  readonly version: number;
  /** The number of the transaction. */
  readonly nth: number;
  /** The position of the event within the transaction. */
  readonly place: number;
  readonly message_id: string;
}

/** The observations of a run. */
export interface OutboxRun {
  /** Sorted by account, version and place. */
  readonly events: readonly CommittedEvent[];
  /** The log of each account's webhook, oldest first. */
  readonly logs: readonly (readonly ListedDelivery[])[];
  readonly journal: OutboxJournal;
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
}

export interface OutboxFigures {
  readonly begun: number;
  readonly committed: number;
  /** Transactions whose outcome no host knows. */
  readonly uncertain: number;
  /** Of these, the transactions that have committed. */
  readonly uncertainCommitted: number;
  /** Events of committed transactions. */
  readonly events: number;
  /** Events of committed transactions that never arrived. */
  readonly lost: number;
  /** Events that arrived, but belong to no committed transaction. */
  readonly invented: number;
  readonly duplicates: number;
  /** Transactions that hosts saw commit but the table lacks, or that hosts saw roll back but the table has. */
  readonly broken: number;
  /** Accounts whose deliveries were not created in the order of the commits. */
  readonly outOfOrder: number;
}

export function outboxFigures({ events, logs, journal, arrivals }: OutboxRun): OutboxFigures {
  const ids = new Set(events.map((event) => event.message_id));
  const transactions = new Set(events.map(({ nth }) => nth));
  const arrived = [...arrivals.keys()];
  return {
    begun: journal.begun.size,
    committed: transactions.size,
    uncertain: journal.uncertain.length,
    uncertainCommitted: journal.uncertain.filter((nth) => transactions.has(nth)).length,
    events: ids.size,
    lost: [...ids].filter((id) => !arrivals.has(id)).length,
    invented: arrived.filter((id) => !ids.has(id)).length,
    duplicates: [...arrivals.values()].reduce((sum, { length }) => sum + length - 1, 0),
    broken:
      [...journal.committed].filter((nth) => !transactions.has(nth)).length +
      [...journal.rolledBack].filter((nth) => transactions.has(nth)).length,
    outOfOrder: logs.filter((log, index) => !isInOrder(log, index + 1, events)).length,
  };
}

function isInOrder(
  log: readonly ListedDelivery[],
  accountId: number,
  events: readonly CommittedEvent[],
): boolean {
  const expected = events.filter((event) => event.account_id === accountId);
  return (
    log.length === expected.length &&
    log.every(({ deliveryId }, index) => deliveryId === expected[index]?.message_id)
  );
}
