import {
  type Auth,
  type AuthOptions,
  createAuth,
  memoryStorage,
  toFetchHandler,
} from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import {
  countSecurityEvents,
  gaugeDeliveries,
  instrument,
  instrumentDelivery,
  instrumentParts,
} from '@latchhook/opentelemetry';
import { context, metrics, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { type RPCMetadata, RPCType, setRPCMetadata } from '@opentelemetry/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ISSUER } from '../support/apps/test-app.ts';
import { TEST_PASSWORD, testUsers } from '../support/clients/users.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';
import { startTelemetryRecorder, type TelemetryRecorder } from './telemetry-recorder.ts';

const WRONG = 'a wrong password, which nobody must see';

async function start(options: Partial<AuthOptions> = {}) {
  const recorder = startTelemetryRecorder();
  const auth = instrument(
    createAuth({
      issuer: ISSUER,
      environment: 'development',
      users: await testUsers(),
      storage: memoryStorage(),
      ...options,
    }),
    recorder.providers,
  );
  return { ...recorder, auth };
}

async function ask(auth: Auth, method: string, path: string, body?: object): Promise<number> {
  const request = new Request(`${ISSUER}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const response = await toFetchHandler(auth)(request, { remoteAddress: '192.0.2.44' });
  return response?.status ?? 404;
}

function logIn(auth: Auth, user: string, password: string = TEST_PASSWORD): Promise<number> {
  return ask(auth, 'POST', '/token', { username: `${user}@example.com`, password });
}

/** All exported spans and metrics, as text. */
async function exported({ spans, points }: TelemetryRecorder): Promise<string> {
  const spansLeft = spans().map(({ name, attributes, events }) => ({ name, attributes, events }));
  return JSON.stringify([
    spansLeft,
    await points('latchhook.security_events'),
    await points('latchhook.request.duration'),
  ]);
}

describe('an instrumented app', () => {
  it('counts its security events by type, reason and actor only', async () => {
    const app = await start();
    await logIn(app.auth, 'ada');
    await logIn(app.auth, 'ada', WRONG);
    await logIn(app.auth, 'alan', WRONG);
    await app.auth.sessions.revokeAll('ada');
    const type = 'latchhook.event.type';
    const actor = 'latchhook.event.actor';
    expect(await app.points('latchhook.security_events')).toEqual([
      { attributes: { [type]: 'login.new_address' }, count: 1 },
      { attributes: { [type]: 'login.succeeded', [actor]: 'user' }, count: 1 },
      {
        attributes: {
          [type]: 'login.failed',
          'latchhook.event.reason': 'wrong_password',
          [actor]: 'user',
        },
        count: 2,
      },
      { attributes: { [type]: 'sessions.revoked_all', [actor]: 'host' }, count: 1 },
    ]);
  });

  it('has a span and a duration for each request, named by the route without its parameters', async () => {
    const app = await start();
    expect(await logIn(app.auth, 'ada')).toBe(200);
    expect(await ask(app.auth, 'DELETE', '/users/self/sessions/a-session-of-hers')).toBe(401);
    const attributes = [
      {
        'http.request.method': 'POST',
        'http.route': '/token',
        'http.response.status_code': 200,
      },
      {
        'http.request.method': 'DELETE',
        'http.route': '/users/self/sessions/{id}',
        'http.response.status_code': 401,
      },
    ];
    expect(app.spans().map((span) => [span.name, span.kind, span.attributes])).toEqual([
      ['POST /token', SpanKind.INTERNAL, attributes[0]],
      ['DELETE /users/self/sessions/{id}', SpanKind.INTERNAL, attributes[1]],
    ]);
    expect(await app.points('latchhook.request.duration')).toEqual(
      attributes.map((each) => ({ attributes: each, count: 1 })),
    );
  });

  it.each([
    ['below the mount path of the framework', '/api', '/api/token'],
    ['unprefixed at the root', '/', '/token'],
    ['unprefixed without a mount path', undefined, '/token'],
  ])('sets the route of the server span to one that is %s', async (_name, mount, route) => {
    const app = await start();
    const span = app.providers.tracerProvider.getTracer('http').startSpan('POST');
    // The instrumentations of `node:http` and of the framework set this metadata.
    const metadata: RPCMetadata = { type: RPCType.HTTP, span };
    if (mount !== undefined) metadata.route = mount;
    const inServer = setRPCMetadata(context.active(), metadata);
    expect(await context.with(inServer, () => logIn(app.auth, 'ada'))).toBe(200);
    expect(metadata.route).toBe(route);
  });

  it('states the version of the package with its spans and metrics', async () => {
    const recorder = startTelemetryRecorder();
    const obtained = [
      vi.spyOn(recorder.providers.meterProvider, 'getMeter'),
      vi.spyOn(recorder.providers.tracerProvider, 'getTracer'),
    ];
    const parts = { issuer: ISSUER, environment: 'development', users: await testUsers() } as const;
    instrument(createAuth(parts), recorder.providers);
    for (const spy of obtained) {
      expect(spy).toHaveBeenCalledWith('@latchhook/opentelemetry', expect.stringMatching(/^\d/));
    }
  });

  it.each([
    ['an unknown method', 'BREW', 'HTTP /token', '_OTHER'],
    ['a known method that no route has', 'QUERY', 'QUERY /token', 'QUERY'],
  ])('names %s as the semantic conventions do', async (_what, method, name, attribute) => {
    const app = await start();
    expect(await ask(app.auth, method, '/token')).toBe(405);
    const [span] = app.spans();
    expect([span?.name, span?.attributes['http.request.method']]).toEqual([name, attribute]);
  });

  it('records a fault in the span of its request, and prints it if there is no listener', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    const storage = storageSwitch();
    const app = await start({ storage: storage.wrap(memoryStorage()) });
    storage.mode = 'down';
    expect(await logIn(app.auth, 'ada')).toBe(503);
    const [span] = app.spans();
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes).toMatchObject({ 'error.type': '503' });
    expect(span?.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'StorageUnavailableError' } },
    ]);
    expect(printed).toHaveBeenCalledOnce();
  });

  it('records only the type of a fault, not its message', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    const users = await testUsers();
    const findByUsername = (name: string) => Promise.reject(new RangeError(`duplicate: ${name}`));
    const app = await start({ users: { ...users, findByUsername } });
    expect(await logIn(app.auth, 'ada')).toBe(503);
    const [span] = app.spans();
    expect(span?.events[0]?.attributes).toEqual({ 'exception.type': 'RangeError' });
    expect(await exported(app)).not.toContain('ada@');
  });

  it('has a span for each published event', async () => {
    const app = await start({ webhooks: { worker: instrumentDelivery(inProcessWorker()) } });
    onTestFinished(() => app.auth.close());
    const { id } = await app.auth.events.publish('Contact.Added', { accountId: 1, data: {} });
    expect(app.spans()).toMatchObject([
      {
        name: 'publish Contact.Added',
        status: { code: SpanStatusCode.UNSET },
        attributes: { 'messaging.message.id': id, 'latchhook.deliveries': 0 },
      },
    ]);
  });

  it('counts published events but not rejected ones', async () => {
    const app = await start({ webhooks: { worker: inProcessWorker() } });
    onTestFinished(() => app.auth.close());
    const message = { accountId: 1, data: {} };
    await app.auth.events.publish('Contact.Added', message);
    await app.auth.events.publish('Contact.Added', message);
    const rejected = app.auth.events.publish('Contact.Added', { ...message, accountId: 0 });
    await expect(rejected).rejects.toThrow(TypeError);
    expect(await app.points('latchhook.events.published')).toEqual([
      { attributes: { 'messaging.destination.name': 'Contact.Added' }, count: 2 },
    ]);
  });

  it('records in a span why an event was not published', async () => {
    const app = await start();
    const publishing = app.auth.events.publish('Contact.Added', { accountId: 1, data: {} });
    await expect(publishing).rejects.toThrow('webhooks');
    const [span] = app.spans();
    expect(span).toMatchObject({
      // The span has no event name, because the app has no webhooks.
      name: 'publish',
      kind: SpanKind.PRODUCER,
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'ConfigError' },
    });
  });

  it.each<[what: string, event: unknown]>([
    ['data', { email: 'hidden@example.com' }],
    ['a list', ['hidden']],
    ['a secret', 'whsec_hidden'],
    ['a name with a secret', 'Contact.Added?token=hidden'],
    ['an object that converts to a name', { toString: () => 'hidden' }],
    ['an object that converts to no text', Object.create(null, { hidden: { value: 'hidden' } })],
    ['undefined', undefined],
  ])('exports no event name that is %s', async (_, event) => {
    const app = await start({ webhooks: { worker: inProcessWorker() } });
    onTestFinished(() => app.auth.close());
    const message = { accountId: 1, data: {} };
    const publishing = Reflect.apply(app.auth.events.publish, undefined, [event, message]);
    await expect(publishing).rejects.toThrow(/^there is no event (?!.*hidden)/);
    expect(app.spans()).toMatchObject([
      {
        name: 'publish',
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'TypeError' },
      },
    ]);
    expect(await exported(app)).not.toContain('hidden');
  });

  it('exports no user, address or password', async () => {
    const app = await start();
    await logIn(app.auth, 'ada');
    await logIn(app.auth, 'ada', WRONG);
    await logIn(app.auth, 'somebody-else', WRONG);
    const text = await exported(app);
    expect(text).toContain('wrong_password');
    for (const hidden of [TEST_PASSWORD, WRONG, 'ada', 'somebody-else', '192.0.2.44']) {
      expect(text).not.toContain(hidden);
    }
  });
});

it.each([
  ['instrument', instrument, 'auth_invalid', [undefined, null, 'x', {}]],
  ['instrumentParts', instrumentParts, 'options_invalid', [undefined, null, 'x']],
  ['instrumentDelivery', instrumentDelivery, 'webhooks_invalid', [undefined, null, 'x', {}]],
  ['gaugeDeliveries', gaugeDeliveries, 'storage_invalid', [undefined, null, 'x']],
])('%s rejects an invalid first argument', (_, call, code, wrong) => {
  for (const given of wrong) {
    expect(() => Reflect.apply(call, undefined, [given])).toThrow(
      expect.objectContaining({ name: 'ConfigError', code }),
    );
  }
});

it('each function rejects a misspelt option', async () => {
  const { auth } = await start();
  const misspelt = { metricProvider: metrics };
  const calls: readonly [call: (...args: never[]) => unknown, args: unknown[]][] = [
    [instrument, [auth, misspelt]],
    [instrumentParts, [{}, misspelt]],
    [instrumentDelivery, [inProcessWorker(), misspelt]],
    [gaugeDeliveries, [memoryStorage(), misspelt]],
    [countSecurityEvents, [misspelt]],
  ];
  for (const [call, args] of calls) {
    expect(() => Reflect.apply(call, undefined, args)).toThrow(
      `${call.name} knows no "metricProvider"; it takes: meterProvider, tracerProvider [option_unknown]`,
    );
  }
});
