import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type AuthOptions, createAuth, memoryStorage } from '@latchhook/core';
import {
  mapMethods,
  type SessionStore,
  STORE_METHODS,
  type Storage,
  withOriginOf,
} from '@latchhook/core/storage';
import { createDeliveryWorker } from '@latchhook/delivery';
import { instrumentParts } from '@latchhook/opentelemetry';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';

// None of these clients ever connects.
const redis = () => redisStorage(new Redis({ lazyConnect: true }));
const postgres = () => postgresStorage(new Pool());
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const keys = { signing, refreshSecrets: [randomBytes(32)], encryption: [randomBytes(32)] };

function optionsWith(storage: Storage): AuthOptions {
  const users = { findByUsername: async () => null, findById: async () => null };
  return { issuer: 'https://api.example.com', users, keys, storage };
}

/** A storage of a host that declares no origin of its parts. */
function unmarkedStorage(): Storage {
  const storage = memoryStorage();
  const copy = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const member: unknown = typeof name === 'symbol' ? undefined : Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  return {
    name: 'of the host',
    sessions: copy(storage.sessions),
    challenges: copy(storage.challenges),
    webhooks: copy(storage.webhooks),
    deliveries: copy(storage.deliveries),
  };
}

/** A wrapper of a host around a store. */
function wrapSessions(sessions: SessionStore): SessionStore {
  return {
    create: (login, options) => sessions.create(login, options),
    rotate: (request) => sessions.rotate(request),
    isLive: (ref) => sessions.isLive(ref),
    revoke: (ref) => sessions.revoke(ref),
    revokeAll: (userId) => sessions.revokeAll(userId),
    revokeOthers: (ref) => sessions.revokeOthers(ref),
    list: (userId) => sessions.list(userId),
  };
}

describe('createAuth', () => {
  it.each<[what: string, parts: string, mixed: () => Storage]>([
    [
      'sessions of Redis with challenges of PostgreSQL',
      'sessions and storage.challenges',
      () => ({ ...postgres(), sessions: redis().sessions }),
    ],
    [
      'sessions and challenges of two redisStorage()',
      'sessions and storage.challenges',
      () => ({ ...redis(), challenges: redis().challenges }),
    ],
    [
      'sessions of Redis with challenges without a declared origin',
      'sessions and storage.challenges',
      () => ({ ...unmarkedStorage(), sessions: redis().sessions }),
    ],
    [
      'challenges without a declared origin in a storage on Redis',
      'sessions and storage.challenges',
      () => ({ ...redis(), challenges: unmarkedStorage().challenges }),
    ],
    [
      'sessions and challenges of two memoryStorage()',
      'sessions and storage.challenges',
      () => ({ ...memoryStorage(), sessions: memoryStorage().sessions }),
    ],
    [
      'webhooks of PostgreSQL with deliveries of Redis',
      'webhooks and storage.deliveries',
      () => ({ ...redis(), webhooks: postgres().webhooks }),
    ],
    [
      'webhooks of PostgreSQL with deliveries of Redis in a storage on PostgreSQL',
      'webhooks and storage.deliveries',
      () => ({ ...postgres(), deliveries: redis().deliveries }),
    ],
    [
      'deliveries of Redis with the outbox of PostgreSQL',
      'deliveries and storage.deliveries.outbox',
      () => {
        const { outbox } = postgres().deliveries;
        const storage = redis();
        return { ...storage, deliveries: { ...storage.deliveries, ...(outbox && { outbox }) } };
      },
    ],
    [
      'sessions in a wrapper without a declared origin',
      'sessions and storage.challenges',
      () => {
        const { sessions, challenges } = redis();
        return { name: 'wrapped', sessions: wrapSessions(sessions), challenges };
      },
    ],
    [
      'instrumented parts of Redis and PostgreSQL',
      'sessions and storage.challenges',
      () =>
        instrumentParts(optionsWith({ ...postgres(), sessions: redis().sessions }))
          .storage as Storage,
    ],
  ])('rejects %s and names storage.%s', (_, parts, mixed) => {
    const create = () => createAuth(optionsWith(mixed()));
    expect(create).toThrow(expect.objectContaining({ code: 'storage_invalid' }));
    expect(create).toThrow(`storage.${parts} are of two stores`);
  });

  it.each<[what: string, storage: () => Storage]>([
    ['one store', redis],
    ['a storage without a declared origin', unmarkedStorage],
    [
      'sessions of one store with webhooks and deliveries of another',
      () => {
        const { sessions, challenges, limiters } = redis();
        return { ...postgres(), sessions, challenges, limiters };
      },
    ],
    [
      'sessions without a declared origin with webhooks of a known store',
      () => {
        const { sessions, challenges } = unmarkedStorage();
        return { ...postgres(), sessions, challenges };
      },
    ],
    ['instrumented parts', () => instrumentParts(optionsWith(postgres())).storage as Storage],
    [
      'sessions whose methods are wrapped by mapMethods',
      () => {
        const storage = redis();
        const sessions = mapMethods(storage.sessions, STORE_METHODS.sessions, (call) => call());
        return { ...storage, sessions };
      },
    ],
    [
      'sessions in a wrapper with a declared origin',
      () => {
        const storage = redis();
        return {
          ...storage,
          sessions: withOriginOf(storage.sessions, wrapSessions(storage.sessions)),
        };
      },
    ],
    ['a copy of a storage', () => ({ ...redis(), name: 'copy' })],
  ])('accepts %s', (_, storage) => {
    expect(() => createAuth(optionsWith(storage()))).not.toThrow();
  });
});

it('createDeliveryWorker rejects webhooks of one store with deliveries of another', () => {
  const storage = { ...redis(), webhooks: postgres().webhooks };
  expect(() => createDeliveryWorker({ storage, keys })).toThrow(
    expect.objectContaining({ code: 'storage_invalid' }),
  );
});
