import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestToSend } from '../hosts/send-request.ts';
import { startTestApp, type TestApp } from '../support/apps/test-app.ts';
import { pendingChallenge, session, wrongCode } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { comparable } from '../support/storage/in-every-cell.ts';

const RUNS = 2000;

/** Placeholders for secrets in a generated request, because each app has different secrets. */
const PLACEHOLDERS = ['%REFRESH%', '%ACCESS%', '%CHALLENGE%', '%CODE%'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

interface Fuzzed {
  readonly app: TestApp;
  readonly secrets: Readonly<Record<Placeholder, string>>;
}

async function startFuzzed(framework: 'express' | 'koa'): Promise<Fuzzed> {
  const app = await startTestApp({ framework, storage: 'memory' });
  const { refresh_token, access_token } = await session(app);
  return {
    app,
    secrets: {
      '%REFRESH%': refresh_token,
      '%ACCESS%': access_token,
      '%CHALLENGE%': await pendingChallenge(app),
      '%CODE%': wrongCode(app),
    },
  };
}

function filledIn(request: RequestToSend, { secrets }: Fuzzed): RequestToSend {
  const fill = (text: string) =>
    PLACEHOLDERS.reduce((filled, name) => filled.replaceAll(name, secrets[name]), text);
  const { body = '', headers = [] } = request;
  return {
    ...request,
    headers: headers.map(fill),
    body: typeof body === 'string' ? fill(body) : body,
  };
}

/** Right values, nearly right values, and values that have broken other servers. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...PLACEHOLDERS,
    'ada@example.com',
    'grace@example.com',
    TEST_PASSWORD,
    'password',
    'refresh_token',
    'user',
    'admin',
    'user,admin',
    'user admin',
    'auth',
    ',',
    '600',
    'GRAC-EAAA-AAAA-2222',
    ...[1, 2, 600, 599, 0, -1, 1.5, 2 ** 53, 1e308, 123456, null, true, false],
    ...[['user'], ['user', 'user'], [], {}, { $ne: null }, '\u0000', '\ud800', '__proto__'],
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 64 }),
  fc.integer({ min: 0, max: 20_000 }).map((length) => 'x'.repeat(length)),
);

const name = fc.oneof(
  fc.constantFrom(
    'grant_type',
    'username',
    'password',
    'account_id',
    'scopes',
    'scope',
    'code',
    'token',
    'expiration_seconds',
    'refresh_token',
    'challenge',
    'client_id',
    'token_type_hint',
    '__proto__',
    'constructor',
    'toString',
    'version',
    '',
  ),
  fc.string({ maxLength: 8 }),
);

/** A request that would succeed; some of its fields are then replaced. */
const rightFields = fc.constantFrom<Readonly<Record<string, unknown>>>(
  { username: 'ada@example.com', password: TEST_PASSWORD },
  { username: 'grace@example.com', password: TEST_PASSWORD },
  { grant_type: 'refresh_token', refresh_token: '%REFRESH%' },
  { refresh_token: '%REFRESH%' },
  { challenge: '%CHALLENGE%', code: '%CODE%' },
  { token: 'lh_rt_AAAA' },
  {},
);

const fields = fc
  .tuple(rightFields, fc.array(fc.tuple(name, value), { maxLength: 4 }))
  // `fromEntries` makes `__proto__` an ordinary key.
  .map(([right, changes]) => Object.fromEntries([...Object.entries(right), ...changes]));

/** The fields as a form: strings unchanged, everything else as JSON. */
function toForm(each: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [key, of] of Object.entries(each)) {
    form.append(key, typeof of === 'string' ? of : JSON.stringify(of));
  }
  // The placeholders must stay recognisable.
  return PLACEHOLDERS.reduce(
    (text, name) => text.replaceAll(encodeURIComponent(name), name),
    `${form}`,
  );
}

const text = fc.oneof(
  { weight: 6, arbitrary: fields.map((each) => JSON.stringify(each)) },
  { weight: 2, arbitrary: fields.map(toForm) },
  { weight: 1, arbitrary: fc.json() },
);

/** The text, whole, cut off, or with bytes inserted. */
const body = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.tuple(text, fc.nat(200)).map(([of, end]) => of.slice(0, end)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(text, fc.nat(200), fc.uint8Array({ minLength: 1, maxLength: 4 }))
      .map(([of, at, bytes]) =>
        Buffer.concat([Buffer.from(of.slice(0, at)), bytes, Buffer.from(of.slice(at))]),
      ),
  },
);

const headerValue = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

const headers = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      { weight: 3, arbitrary: fc.constant('application/x-www-form-urlencoded') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'text/plain',
          'application/json; charset=latin1',
          'application/json;;;',
          'json',
          '/',
        ),
      },
      { weight: 1, arbitrary: headerValue },
    ),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'authorization',
          'accept',
          'accept-encoding',
          'x-forwarded-for',
          'user-agent',
          'x-http-method-override',
          'cookie',
          'origin',
          'if-none-match',
          'content-encoding',
        ),
        fc.oneof(fc.constantFrom('Bearer %ACCESS%', 'Bearer', '*/*', 'gzip'), headerValue),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([type, more]) => ['content-type', type, ...more.flat()]);

const path = fc
  .tuple(
    fc.constantFrom(
      '/token',
      '/token',
      '/token',
      '/token/challenge',
      '/token/revoke',
      '/openapi.json',
      '/.well-known/jwks.json',
      '/.well-known/oauth-authorization-server',
      '/me',
      '/admin',
    ),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant('') },
      {
        weight: 2,
        arbitrary: fc.constantFrom('?version=v1', '?version=v2', '?version=', '?a&b=%'),
      },
      {
        weight: 1,
        arbitrary: fc
          .string({ unit: 'binary', maxLength: 12 })
          .map((query) => `?version=${encodeURIComponent(query.toWellFormed())}`),
      },
      { weight: 1, arbitrary: fc.webQueryParameters().map((query) => `?${query}`) },
    ),
  )
  .map((parts) => parts.join(''));

const requests: fc.Arbitrary<RequestToSend> = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('POST') },
    { weight: 3, arbitrary: fc.constant('PUT') },
    { weight: 2, arbitrary: fc.constantFrom('GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS') },
  ),
  path,
  headers,
  body,
  chunked: fc.boolean(),
});

describe('fuzzed requests', () => {
  let express: Fuzzed;
  let koa: Fuzzed;
  beforeAll(async () => {
    [express, koa] = await Promise.all([startFuzzed('express'), startFuzzed('koa')]);
  });
  afterAll(() => {
    express.app.stop();
    koa.app.stop();
  });

  it(`never cause a 5xx, and get the same responses from both frameworks, in ${RUNS} random requests`, async () => {
    const cpuMs: number[] = [];
    const statuses = new Set<number>();

    async function sent(request: RequestToSend, fuzzed: Fuzzed) {
      const before = process.cpuUsage();
      const response = await fuzzed.app.send(filledIn(request, fuzzed));
      const { user, system } = process.cpuUsage(before);
      cpuMs.push((user + system) / 1000);
      return response;
    }

    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const ofExpress = await sent(request, express);
        const ofKoa = await sent(request, koa);
        statuses.add(ofExpress.status);
        expect(ofExpress.status).toBeLessThan(500);
        // Other responses of the host's own routes differ between frameworks.
        const [path = ''] = request.path.split('?', 1);
        const isOurs = express.app.auth.http.owns(path) || [401, 403].includes(ofExpress.status);
        if (isOurs) expect(comparable(ofKoa)).toEqual(comparable(ofExpress));
        express.app.clearTranscript();
        koa.app.clearTranscript();
      }),
      { seed: 20_261_120, numRuns: RUNS },
    );

    const median = cpuMs.sort((a, b) => a - b)[Math.floor(cpuMs.length / 2)];
    expect(median).toBeLessThan(50);
    // If every request was rejected early, this would test little.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 405, 413, 415]));
    expect(({} as Record<string, unknown>)['scopes']).toBeUndefined();
    for (const { app } of [express, koa]) {
      expect(app.events.filter(({ type }) => type === 'fault')).toEqual([]);
    }
  });
});
