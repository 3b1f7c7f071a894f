import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Auth } from '../auth.ts';
import type { AuthOptions } from '../auth-options.ts';
import { createAuth } from '../create-auth.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { StoreStartup } from '../storage/startup.ts';
import type { Storage } from '../storage/storage.ts';
import { originOf } from '../storage/store-origin.ts';
import { NotReadyError } from './not-ready-error.ts';

export const ISSUER = 'https://api.example.com';
export const users = { findByUsername: async () => null, findById: async () => null };
export const signing = generateSigningKey('ES256');
export const refreshSecret = randomBytes(32);
export const encryptionKey = randomBytes(32);
export const keys = { signing, refreshSecrets: [refreshSecret], encryption: [encryptionKey] };

export function open(options: Partial<AuthOptions> = {}): Auth {
  const auth = createAuth({ issuer: ISSUER, users, keys, ...options });
  onTestFinished(() => auth.close());
  return auth;
}

/** The findings of an app at `ready()`, each as its part and its code. */
export async function findingsOf(options: Partial<AuthOptions> = {}): Promise<readonly string[]> {
  const error: unknown = await open(options)
    .ready()
    .catch((thrown: unknown) => thrown);
  if (error === undefined) return [];
  if (!(error instanceof NotReadyError)) throw error;
  for (const { message } of error.findings) expect(error.message).toContain(message);
  return error.findings.map(({ part, code }) => `${part}: ${code}`);
}

export const down = (): Promise<never> => Promise.reject(new Error('connect ECONNREFUSED'));

/** A storage whose stores have no origin, like one that a host has written. */
export function storageWithoutOrigin(sessions: Partial<Storage['sessions']> = {}): Storage {
  const storage = memoryStorage();
  const copy = <Store extends object>(store: Store, change: Partial<Store> = {}): Store =>
    new Proxy(store, {
      get(target, name) {
        // The origin of a store is under a symbol.
        if (typeof name === 'symbol') return undefined;
        const member: unknown = Reflect.get(change, name) ?? Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  return {
    name: 'of the host',
    sessions: copy(storage.sessions, sessions),
    challenges: copy(storage.challenges),
  };
}

/** The start-up checks of a store of Latchhook. */
export function startupOf(storage: Storage): StoreStartup {
  const startup = originOf(storage.sessions)?.startup;
  if (startup === undefined) throw new Error('the storage has no start-up checks');
  return startup;
}
