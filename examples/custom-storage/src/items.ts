import type { Clock } from '@latchhook/core';
import { CallDeadline } from '@latchhook/core/storage';
import type Database from 'libsql';
import type { Kinds } from './kinds.ts';
import { unlessLocked } from './unless-locked.ts';

/** For how long a call tries to get the lock. Core waits for a second and a half, and then answers 503. */
const LOCK_WAIT_MS = 1000;

/** How many items each transition that adds one forgets: more than one, or the file would only ever grow. */
const FORGOTTEN_AT_ONCE = 4;

/** Everything is an item with an owner. From `endsAtMs` on it no longer counts, and may be forgotten. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS items (
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  endsAtMs INTEGER,
  PRIMARY KEY (owner, kind, id)
) STRICT;
CREATE INDEX IF NOT EXISTS itemsToForget ON items (endsAtMs) WHERE endsAtMs IS NOT NULL;
`;

/** The only part that knows SQLite. For another kind of store, rewrite this, and keep what uses it. */
export class Items {
  readonly #database: Database.Database;
  readonly #clock: Clock;
  readonly #statements = new Map<string, Database.Statement>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(database: Database.Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /**
   * Runs `decide` as one transaction, all or nothing. It must not await anything.
   *
   * IMMEDIATE takes the lock before anything is read: if two transactions read first, both would find the last place
   * free. The time is read after the lock was taken, so that times never contradict the order of transactions.
   */
  transition<T>(decide: (nowMs: number) => T): Promise<T> {
    const transact = this.#database.transaction(() => decide(this.nowMs()));
    return this.#inTurn(() => transact.immediate());
  }

  /** For one `find` or one `list`: one statement sees all that was answered before, and does not wait for writers. */
  look<T>(find: (nowMs: number) => T): Promise<T> {
    return unlessLocked(() => find(this.nowMs()), new CallDeadline('SQLite', LOCK_WAIT_MS));
  }

  find<K extends keyof Kinds>(kind: K, owner: string, id: string): Kinds[K] | undefined {
    const sql = 'SELECT state FROM items WHERE kind = ? AND owner = ? AND id = ?';
    return this.#all<K>(sql, kind, keyOf(owner), id)[0];
  }

  /** In the order of creation. */
  list<K extends keyof Kinds>(kind: K, owner: string): readonly Kinds[K][] {
    const sql = 'SELECT state FROM items WHERE kind = ? AND owner = ? ORDER BY rowid';
    return this.#all<K>(sql, kind, keyOf(owner));
  }

  /** Stores an item, in place of one with the same id. */
  put<K extends keyof Kinds>(
    kind: K,
    owner: string,
    id: string,
    state: Kinds[K],
    endsAtMs: number | null,
  ): void {
    this.#prepared(
      `INSERT INTO items (kind, owner, id, state, endsAtMs) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET state = excluded.state, endsAtMs = excluded.endsAtMs`,
    ).run([kind, keyOf(owner), id, JSON.stringify(state), endsAtMs]);
  }

  /** Forgets a few each time, whoever owns them: that keeps up with what is added, and never takes long. */
  forgetSome(nowMs: number): void {
    this.#prepared(
      `DELETE FROM items WHERE rowid IN
      (SELECT rowid FROM items WHERE endsAtMs <= ? ORDER BY endsAtMs LIMIT ${FORGOTTEN_AT_ONCE})`,
    ).run([nowMs]);
  }

  #all<K extends keyof Kinds>(sql: string, ...values: readonly string[]): readonly Kinds[K][] {
    const rows = this.#prepared(sql).all(values) as readonly { readonly state: string }[];
    return rows.map(({ state }) => JSON.parse(state));
  }

  #prepared(sql: string): Database.Statement {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs attempts one after the other: of the calls that wait in this process, only one tries to get the lock. */
  #inTurn<T>(attempt: () => T): Promise<T> {
    const deadline = new CallDeadline('SQLite', LOCK_WAIT_MS);
    const turn = this.#lastTurn.then(() => unlessLocked(attempt, deadline));
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }
}

/** libsql takes every lone surrogate for the same character, and two users for one. JSON escapes them. */
function keyOf(owner: string): string {
  return JSON.stringify(owner);
}
