import type { StoreStartup } from './startup.ts';
import type { Storage } from './storage.ts';

/**
 * A store, whatever of it is used: a schema of a database, say, or a key prefix of a server. Parts that have the same
 * origin, the same object, can take part in one transition.
 */
export interface StoreOrigin {
  /** Named in messages: `redis`, `postgres` ... */
  readonly name: string;
  /** Absent: the store is asked for something that nobody has, when an app starts. */
  readonly startup?: StoreStartup;
}

/** A registered symbol, so that two copies of this package in one process agree. */
const ORIGIN: unique symbol = Symbol.for('latchhook.store origin');

/**
 * Says of all parts that they are of one store, so that `createAuth` declines to combine one with a part of another
 * where both must take part in one transition.
 *
 * The parts themselves are marked, with a property that a spread copies and a proxy passes on.
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

/** The store that a part belongs to; `undefined` where nobody has said so. */
export function originOf(part: unknown): StoreOrigin | undefined {
  return (Object(part) as { readonly [ORIGIN]?: StoreOrigin })[ORIGIN];
}

/**
 * Says of what is put around a part of a storage that it is of the same store.
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
