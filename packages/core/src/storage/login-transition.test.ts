import { expect, it, vi } from 'vitest';
import { type LoginTransition, loginTransitionOf } from './login-transition.ts';
import { mapMethods } from './map-methods.ts';
import { memoryStorage } from './memory/memory-storage.ts';
import type { Storage } from './storage.ts';
import { STORE_METHODS } from './store-methods.ts';
import { ofOneStore } from './store-origin.ts';

type Stores = Required<Pick<Storage, 'sessions' | 'mfa'>>;

/** A storage with a login transition. */
function newStorage() {
  const { sessions, challenges, mfa } = memoryStorage();
  if (mfa === undefined) throw new Error('the memory keeps no factors');
  const createUnlessEnrolled: LoginTransition['createUnlessEnrolled'] = sessions.create;
  const replaces = { create: sessions.create, find: mfa.find };
  const loginTransition = { replaces, createUnlessEnrolled };
  const storage = { name: 'host', sessions, challenges, mfa };
  return { loginTransition, storage: ofOneStore({ name: 'host', loginTransition }, storage) };
}

it('loginTransitionOf() returns the transition of a storage, also of a copy', () => {
  const { loginTransition, storage } = newStorage();
  expect(loginTransitionOf(storage)).toBe(loginTransition);
  expect(loginTransitionOf({ ...storage, name: 'copy' })).toBe(loginTransition);
});

it.each<[what: string, change: (storage: Stores) => object]>([
  ['is of another storage', () => ({ mfa: newStorage().storage.mfa })],
  ['has another `find`', ({ mfa }) => ({ mfa: { ...mfa, find: async () => null } })],
  ['is wrapped', ({ mfa }) => ({ mfa: mapMethods(mfa, STORE_METHODS.mfa, (call) => call()) })],
  ['is absent', () => ({ mfa: undefined })],
])('loginTransitionOf() returns undefined for a storage whose part `mfa` %s', (_, change) => {
  const { storage } = newStorage();
  expect(loginTransitionOf({ ...storage, ...change(storage) })).toBeUndefined();
});

it('loginTransitionOf() returns undefined for a storage whose part `sessions` is wrapped', () => {
  const { storage } = newStorage();
  const sessions = mapMethods(storage.sessions, STORE_METHODS.sessions, (call) => call());
  expect(loginTransitionOf({ ...storage, sessions })).toBeUndefined();
});

it.each([
  ['find', ({ mfa }: Stores) => vi.spyOn(mfa, 'find')],
  ['create', ({ sessions }: Stores) => vi.spyOn(sessions, 'create')],
])('loginTransitionOf() returns undefined once the host has replaced `%s`', (_, replace) => {
  const { storage } = newStorage();
  replace(storage);
  expect(loginTransitionOf(storage)).toBeUndefined();
});
