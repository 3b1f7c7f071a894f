import { uncheckedFields } from '../unchecked-fields.ts';
import type { LoginTransition } from './login-transition.ts';
import type { StoreStartup } from './startup.ts';
import type { Storage } from './storage.ts';

/**
 * A store, such as a schema of a database or a key prefix of a server. Parts of a storage with the same origin (the
 * same object) can take part in one transition.
 */
export interface StoreOrigin {
  /** The name in messages, such as `redis` or `postgres`. */
  readonly name: string;
  /** Absent: when an app starts, it checks the store by reading a record that does not exist. */
  readonly startup?: StoreStartup;
  /** Absent: a login takes two calls, one for the second factor and one for the session. */
  readonly loginTransition?: LoginTransition;
}

/** A registered symbol, so that two copies of this package in one process agree. */
const ORIGIN: unique symbol = Symbol.for('latchhook.store origin');

/**
 * Marks all parts as parts of one store, so that `createAuth` rejects a combination with a part of another store if
 * both must take part in one transition.
 *
 * The mark is a property of each part, which a spread copies and a proxy forwards.
 *
 * @returns `parts`
 * @example
 * ```ts
 * import { ofOneStore, type ChallengeStore, type SessionStore, type Storage } from '@latchhook/core/storage';
 *
 * declare const sessions: SessionStore;
 * declare const challenges: ChallengeStore;
 *
 * const storage: Storage = ofOneStore({ name: 'mariadb' }, { name: 'mariadb', sessions, challenges });
 * ```
 */
export function ofOneStore<Parts extends Partial<Storage>>(
  origin: StoreOrigin,
  parts: Parts,
): Parts {
  for (const part of [...Object.values(parts), parts.deliveries?.outbox]) mark(part, origin);
  return parts;
}

/** The store of a part; `undefined` if it is not marked. */
export function originOf(part: unknown): StoreOrigin | undefined {
  return uncheckedFields<{ readonly [ORIGIN]: StoreOrigin }>(part)[ORIGIN];
}

/**
 * Marks a wrapper of a part as belonging to the same store.
 *
 * @returns `wrapper`
 */
export function withOriginOf<Part extends object>(wrapped: object, wrapper: Part): Part {
  const origin = originOf(wrapped);
  if (origin !== undefined) mark(wrapper, origin);
  return wrapper;
}

function mark(part: unknown, origin: StoreOrigin): void {
  if (typeof part !== 'function' && (typeof part !== 'object' || part === null)) return;
  Object.defineProperty(part, ORIGIN, { value: origin, enumerable: true, configurable: true });
}
