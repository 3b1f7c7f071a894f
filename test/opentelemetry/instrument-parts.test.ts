import {
  type Auth,
  type AuthOptions,
  createAuth,
  memoryStorage,
  type PasswordScheme,
  toFetchHandler,
  type UserStore,
} from '@latchhook/core';
import type { Limiter, LimiterOptions, Outbox, Storage } from '@latchhook/core/storage';
import { inProcessWorker } from '@latchhook/delivery';
import { instrument, instrumentDelivery, instrumentParts } from '@latchhook/opentelemetry';
import { startFakeReceiver } from '@latchhook/testkit';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ISSUER } from '../support/apps/test-app.ts';
import { TEST_PASSWORD, testUsers } from '../support/clients/users.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { startTelemetryRecorder } from './telemetry-recorder.ts';

const ADDRESS = '192.0.2.44';

async function start(options: Partial<AuthOptions> = {}) {
  const recorder = startTelemetryRecorder();
  const parts = instrumentParts(
    {
      issuer: ISSUER,
      environment: 'development',
      users: await testUsers(),
      storage: memoryStorage(),
      throttle: false,
      ...options,
    },
    recorder.providers,
  );
  return { ...recorder, auth: instrument(createAuth(parts), recorder.providers) };
}

async function post(auth: Auth, path: string, body: object) {
  const request = new Request(`${ISSUER}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const response = await toFetchHandler(auth)(request, { remoteAddress: ADDRESS });
  return { status: response?.status, body: (await response?.json()) as Record<string, string> };
}

function logIn(auth: Auth, user = 'ada') {
  return post(auth, '/token', { username: `${user}@example.com`, password: TEST_PASSWORD });
}

/** The names of the child spans of the spans with this name, in the order of their ends. */
function childSpansOf(spans: readonly ReadableSpan[], parent: string): readonly string[] {
  const ids = spans.filter(({ name }) => name === parent).map((span) => span.spanContext().spanId);
  return spans
    .filter(({ parentSpanContext: above }) => above !== undefined && ids.includes(above.spanId))
    .map(({ name }) => name);
}

describe('an app with instrumented parts', () => {
  it('has a span for each storage and user store call of a login, with its outcome', async () => {
    const app = await start();
    expect(await logIn(app.auth)).toMatchObject({ status: 200 });
    expect(childSpansOf(app.spans(), 'POST /token')).toEqual([
      'users.findByUsername',
      'mfa.find',
      'sessions.create',
    ]);
    const [look, , create] = app.spans();
    expect(look).toMatchObject({ kind: SpanKind.INTERNAL, attributes: {} });
    expect(create?.attributes).toEqual({ 'latchhook.outcome': 'created' });
  });

  it('has a span for each call of an MFA challenge and of a refresh', async () => {
    const app = await start();
    const { body } = await logIn(app.auth, 'grace');
    await post(app.auth, '/token/challenge', { challenge: body['challenge'], code: '000000' });
    const ada = await logIn(app.auth);
    const { refresh_token } = ada.body;
    await post(app.auth, '/token', { grant_type: 'refresh_token', refresh_token });
    expect(childSpansOf(app.spans(), 'POST /token/challenge')).toEqual([
      'users.findById',
      'challenges.reserveAttempt',
    ]);
    const rotate = app.spans().find(({ name }) => name === 'sessions.rotate');
    expect(rotate?.attributes).toEqual({ 'latchhook.outcome': 'rotated' });
  });

  it('exports no data of a user, even in a column named outcome', async () => {
    const users = await testUsers();
    const findByUsername: UserStore['findByUsername'] = async (username) => {
      const user = await users.findByUsername(username);
      return user && { ...user, outcome: 'hidden' };
    };
    const app = await start({ users: { ...users, findByUsername } });
    expect(await logIn(app.auth)).toMatchObject({ status: 200 });
    const span = app.spans().find(({ name }) => name === 'users.findByUsername');
    expect(span?.attributes).toEqual({});
  });

  it('exports no error name that a driver has made up', async () => {
    const users = await testUsers();
    const fault = Object.assign(new Error('hidden'), { name: 'hidden: ada@example.com' });
    const app = await start({ users: { ...users, findByUsername: () => Promise.reject(fault) } });
    app.auth.securityEvents.subscribe(() => {});
    expect(await logIn(app.auth)).toMatchObject({ status: 503 });
    const span = app.spans().find(({ name }) => name === 'users.findByUsername');
    expect(span?.attributes).toEqual({ 'error.type': '_OTHER' });
    const recorded = app.spans().flatMap(({ events }) => events.map((event) => event.attributes));
    expect(recorded).toEqual([{ 'exception.type': '_OTHER' }]);
  });

  it('has spans for the counters of failed logins', async () => {
    const app = await start({ throttle: {} });
    await logIn(app.auth);
    const names = new Set(childSpansOf(app.spans(), 'POST /token'));
    expect(names).toContain('limiters.get');
    expect(names).toContain('limiters.delete');
  });

  it('has spans for a password verifier or scheme of the host', async () => {
    const verifying = await start({ passwords: { verifier: async () => true } });
    await logIn(verifying.auth);
    expect(childSpansOf(verifying.spans(), 'POST /token')).toContain('passwords.verifier');

    const scheme: PasswordScheme = {
      name: 'old',
      recognises: () => true,
      verify: async () => 'match',
    };
    const users = await testUsers();
    users.change('ada', { passwordHash: 'old:x' });
    const schemed = await start({ users, passwords: { schemes: [scheme] } });
    expect(await logIn(schemed.auth)).toMatchObject({ status: 200 });
    expect(childSpansOf(schemed.spans(), 'POST /token')).toContain('passwords.old');
  });

  it('has a span for publishing an event within a transaction', async () => {
    const storage = memoryStorage();
    const outbox: Outbox = {
      async publishWithin(_tx, { messageId }) {
        return { outcome: 'published', messageId, deliveries: 2 };
      },
    };
    Object.assign(storage.deliveries, { outbox });
    const app = await start({ storage, webhooks: { worker: false } });
    await app.auth.events.publish(
      'Contact.Added',
      { accountId: 1, data: { contactId: 'c_1', email: 'ada@example.com' } },
      { tx: { query: async () => ({ rows: [] }) } },
    );
    expect(childSpansOf(app.spans(), 'publish Contact.Added')).toEqual(['outbox.publishWithin']);
    const [written] = app.spans();
    expect(written?.attributes).toEqual({ 'latchhook.outcome': 'published' });
  });

  it('has a span for storing an event, and none for the calls of the worker', async () => {
    const receiver = await startFakeReceiver();
    const worker = instrumentDelivery(inProcessWorker());
    const webhooks = { worker, allowHttp: true, allowPrivateAddresses: true };
    const app = await start({ webhooks });
    onTestFinished(async () => {
      await receiver.close();
      await app.auth.close();
    });
    await app.auth.webhooks.create(1, { event: 'Contact.Added', url: receiver.url });
    const published = ['deliveries.publish', 'publish Contact.Added'];
    // The worker sleeps when the second event is published, and is notified within the span of `publish`.
    for (const count of [1, 2]) {
      await app.auth.events.publish('Contact.Added', { accountId: 1, data: {} });
      await receiver.waitFor(count);
      await app.auth.drainDeliveries({ deadlineMs: PATIENT_MS });
    }
    expect(app.spans().map(({ name }) => name)).toEqual([...published, ...published]);
    const [stored] = app.spans();
    expect(stored?.attributes).toEqual({ 'latchhook.outcome': 'published' });
  });

  it('exports a failed call with only the name of the error', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    const storage = storageSwitch();
    const app = await start({ storage: storage.wrap(memoryStorage()) });
    storage.mode = 'down';
    expect(await logIn(app.auth)).toMatchObject({ status: 503 });
    const create = app.spans().find(({ name }) => name === 'sessions.create');
    expect(create).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'StorageUnavailableError' },
    });
  });

  it('exports no span outside of requests', async () => {
    const app = await start();
    await app.auth.sessions.list('ada');
    expect(app.spans()).toEqual([]);
  });

  it('accepts a user store that is a class, and adds no optional method to it', async () => {
    class Table implements UserStore {
      readonly #users: UserStore;
      constructor(users: UserStore) {
        this.#users = users;
      }
      findByUsername(username: string) {
        return this.#users.findByUsername(username);
      }
      findById(userId: string) {
        return this.#users.findById(userId);
      }
    }
    const users = new Table(await testUsers());
    const traced = instrumentParts({ issuer: ISSUER, users }).users as UserStore;
    expect(traced.replacePasswordHash).toBeUndefined();
    expect(await traced.findById('ada')).toMatchObject({ id: 'ada' });
  });

  it('accepts a storage that is a class, and keeps its other members', async () => {
    class Shared implements Storage {
      readonly name = 'shared';
      readonly sessions = memory.sessions;
      readonly challenges = memory.challenges;
      readonly #limiters = memory.limiters;
      limiters(options: LimiterOptions): Limiter {
        if (this.#limiters === undefined) throw new Error('the memory storage has limiters');
        return this.#limiters(options);
      }
      isOpen(): boolean {
        return this.#limiters !== undefined;
      }
    }
    const memory = memoryStorage();
    const app = await start({ storage: new Shared(), throttle: {} });
    expect(await logIn(app.auth)).toMatchObject({ status: 200 });
    expect(childSpansOf(app.spans(), 'POST /token')).toContain('limiters.get');

    const parts = { issuer: ISSUER, users: await testUsers(), storage: new Shared() };
    const { storage } = instrumentParts(parts);
    expect([storage.name, storage.isOpen()]).toEqual(['shared', true]);
  });

  it('lets createAuth reject invalid parts', () => {
    const options: AuthOptions = JSON.parse('{"issuer":"https://api.example.com","storage":{}}');
    expect(() => createAuth(instrumentParts(options))).toThrow(
      expect.objectContaining({ code: 'users_invalid' }),
    );
    const memory: AuthOptions = { ...options, storage: JSON.parse('"memory"') };
    expect(() => createAuth(instrumentParts(memory))).toThrow(
      expect.objectContaining({ name: 'ConfigError' }),
    );
  });

  it('exports no user, address, token or password', async () => {
    const app = await start({ throttle: {} });
    const { body } = await logIn(app.auth);
    const spans = app.spans().map(({ name, attributes, status, events }) => {
      return { name, attributes, status, events };
    });
    const text = JSON.stringify(spans);
    for (const secret of [TEST_PASSWORD, 'ada', ADDRESS, body['access_token'] ?? '?', 'argon2']) {
      expect(text).not.toContain(secret);
    }
  });
});
