import type { MaybePromise } from '../maybe-promise.ts';
import { withOriginOf } from './store-origin.ts';

/**
 * Wraps a call of a store. Must return the result of the call; may return a promise of it only if the method may return
 * a promise.
 *
 * @param call - calls the method of the mapped store
 * @param name - the name of the method
 */
export type AroundCall = <Result>(
  call: () => MaybePromise<Result>,
  name: string,
) => MaybePromise<Result>;

/**
 * Wraps the methods of a store so that `around` makes each call. Code that guards, counts or measures calls can so wrap
 * all methods alike, without its own list of methods. The result has only these methods and the origin of the store,
 * and may be spread.
 *
 * A method is looked up when it is called.
 *
 * @example
 * ```ts
 * import { mapMethods, STORE_METHODS, type SessionStore } from '@latchhook/core/storage';
 *
 * declare const sessions: SessionStore;
 * const counts = new Map<string, number>();
 * const counted: SessionStore = mapMethods(sessions, STORE_METHODS.sessions, (call, name) => {
 *   counts.set(name, (counts.get(name) ?? 0) + 1);
 *   return call();
 * });
 * ```
 */
export function mapMethods<Store extends object, Name extends keyof Store>(
  store: Store,
  methods: Readonly<Record<Name, true>>,
  around: AroundCall,
): Pick<Store, Name> {
  const target: object = store;
  const mapped = Object.keys(methods).map((name) => [
    name,
    (...args: readonly unknown[]) =>
      around(() => Reflect.apply(Reflect.get(target, name), target, args), name),
  ]);
  return withOriginOf(store, Object.fromEntries(mapped) as Pick<Store, Name>);
}
