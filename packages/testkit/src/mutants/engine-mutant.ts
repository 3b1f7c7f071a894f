import type { Rows, StorageEngine } from '@latchhook/core/storage';
import type { Rule } from '../engine/contract.ts';
import type { Ability } from '../storage-harness.ts';

/** An engine with one fault, made of any sound one: a kit that passes it proves nothing. */
export interface EngineMutant {
  /** What it does wrong: `folds the case of keys`. */
  readonly name: string;
  /** The sentence of the contract that it breaks. */
  readonly breaks: string;
  /** What the harness must be able to do to show it. */
  readonly needs?: Ability;
  /** Called for each connection. */
  readonly mutate: Mutation;
}

export type Mutation = (sound: StorageEngine) => StorageEngine;

/** Mutants that break one rule, by what they do wrong. */
export function mutantsThatBreak(
  breaks: Rule,
  mutations: Readonly<Record<string, Mutation>>,
): readonly EngineMutant[] {
  return Object.entries(mutations).map(([name, mutate]) => ({ name, breaks, mutate }));
}

/** The engine with some other members. */
export function engineThat(change: (sound: StorageEngine) => Partial<StorageEngine>): Mutation {
  return (sound) => ({
    name: sound.name,
    transact: (partition, work, firstKey) => sound.transact(partition, work, firstKey),
    find: (index, request) => sound.find(index, request),
    now: () => sound.now(),
    ...change(sound),
  });
}

/** The engine with transactions of some other rows. */
export function rowsThat(change: (sound: Rows, nowMs: number) => Partial<Rows>): Mutation {
  return engineThat((sound) => ({
    transact: (partition, work) =>
      sound.transact(partition, (rows, nowMs) =>
        work({ ...callable(rows), ...change(rows, nowMs) }, nowMs),
      ),
  }));
}

/** Rows of a class have no methods that a spread copies. */
function callable(rows: Rows): Rows {
  return {
    get: (key) => rows.get(key),
    range: (index, request) => rows.range(index, request),
    put: (row) => rows.put(row),
    delete: (key) => rows.delete(key),
  };
}
