import type { MaybePromise } from '@latchhook/core';
import type { Rows, StorageEngine } from '@latchhook/core/storage';
import type { Rule } from '../engine/contract.ts';
import type { Ability } from '../storage-harness.ts';

/** A fault that can be added to any sound engine, and that the kit must detect. */
export interface EngineMutant {
  /** The fault, such as `loses every second write`. */
  readonly name: string;
  /** The sentence of the contract that the fault breaks. */
  readonly breaks: string;
  /** The optional method that the harness needs to show the fault. */
  readonly needs?: Ability;
  /** Adds the fault to an engine. Called for each connection. */
  readonly mutate: Mutation;
}

export type Mutation = (engine: StorageEngine) => StorageEngine;

type Work<Result> = (rows: Rows, nowMs: number) => MaybePromise<Result>;

/** Mutants that break one rule, by their fault. */
export function mutantsThatBreak(
  breaks: Rule,
  mutations: Readonly<Record<string, Mutation>>,
): readonly EngineMutant[] {
  return Object.entries(mutations).map(([name, mutate]) => ({ name, breaks, mutate }));
}

/** Changes some members of an engine. */
export function faultyEngine(change: (engine: StorageEngine) => Partial<StorageEngine>): Mutation {
  return (engine) => ({
    name: engine.name,
    transact: (partition, work, firstKey) => engine.transact(partition, work, firstKey),
    find: (index, request) => engine.find(index, request),
    now: () => engine.now(),
    ...change(engine),
  });
}

/** Runs work differently within a transaction of the sound engine. */
export function faultyWork(
  run: <Result>(work: Work<Result>, rows: Rows, nowMs: number) => MaybePromise<Result>,
): Mutation {
  return faultyEngine((engine) => ({
    transact: (partition, work) =>
      engine.transact(partition, (rows, nowMs) => run(work, rows, nowMs)),
  }));
}

/** Settles differently than a transaction of the sound engine. */
export function faultyEnd(
  settle: <Result>(transaction: Promise<Result>) => Promise<Result>,
): Mutation {
  return faultyEngine((engine) => ({
    transact: (partition, work) => settle(engine.transact(partition, work)),
  }));
}

/** Changes some methods of the rows of transactions. */
export function faultyRows(change: (rows: Rows, nowMs: number) => Partial<Rows>): Mutation {
  return faultyWork((work, rows, nowMs) =>
    work({ ...rowMethods(rows), ...change(rows, nowMs) }, nowMs),
  );
}

/** Copies the methods, because a spread does not copy the methods of a class. */
export function rowMethods(rows: Rows): Rows {
  return {
    get: (key) => rows.get(key),
    range: (index, request) => rows.range(index, request),
    put: (row) => rows.put(row),
    delete: (key) => rows.delete(key),
  };
}
