import type { MaybePromise } from '@latchhook/core';
import type { Storage, StoreMethods } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import { inProcess, openReference, type Reference, type StoreName } from './reference.ts';

type MethodName<Name extends StoreName> = keyof StoreMethods[Name] & keyof Reference[Name];

/** Returns the members of the first argument that differ. */
type RequestChange<Method> = Method extends (...args: infer Args) => unknown
  ? (...args: Args) => Partial<Args[0]>
  : never;

/** Returns another result than the right one. */
type ResultChange<Method> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (result: Result, ...args: Args) => MaybePromise<Result>
  : never;

type AnyCall = (...args: readonly unknown[]) => Promise<unknown>;

/** The reference with some faulty methods of one store. */
export const faultySessions = faultyStore('sessions');
export const faultyChallenges = faultyStore('challenges');
export const faultyWebhooks = faultyStore('webhooks');
export const faultyDeliveries = faultyStore('deliveries');
export const faultyTokens = faultyStore('personalAccessTokens');
export const faultyMfa = faultyStore('mfa');

/** The reference with some faulty parts. */
export function faultyStorage(change: (reference: Reference) => Partial<Storage>): StorageHarness {
  return inProcess((clock) => {
    const reference = openReference(clock);
    const storage = { ...reference, ...change(reference) };
    return () => storage;
  });
}

/** The reference, but with another request to one method: some members of its first argument are changed. */
export function faultyRequests<Name extends StoreName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  change: RequestChange<Reference[Name][Method]>,
): StorageHarness {
  return faultyCalls(name, method, (call) => (request, ...rest) => {
    const changed: object = Reflect.apply(change, null, [request, ...rest]);
    return call({ ...Object(request), ...changed }, ...rest);
  });
}

/** The reference, but with another result of one method. */
export function faultyResults<Name extends StoreName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  change: ResultChange<Reference[Name][Method]>,
): StorageHarness {
  return faultyCalls(
    name,
    method,
    (call) =>
      async (...args) =>
        Reflect.apply(change, null, [await call(...args), ...args]),
  );
}

function faultyStore<Name extends StoreName>(
  name: Name,
): (
  change: (store: Reference[Name], reference: Reference) => Partial<Reference[Name]>,
) => StorageHarness {
  return (change) =>
    faultyStorage((reference) => {
      const store = reference[name];
      return { [name]: { ...store, ...change(store, reference) } };
    });
}

function faultyCalls<Name extends StoreName>(
  name: Name,
  method: keyof Reference[Name],
  change: (call: AnyCall) => AnyCall,
): StorageHarness {
  return faultyStorage((reference) => {
    const store = reference[name];
    return { [name]: { ...store, [method]: change(store[method] as AnyCall) } };
  });
}
