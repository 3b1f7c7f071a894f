import { describe, expect, it } from 'vitest';
import type { AssertCredentialValid } from '../bearer/assert-credential-valid.ts';
import type { AuthorizeRequest } from '../bearer/authorize-request.ts';
import { AuthError, type AuthErrorCode } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createDispatch, type Dispatchable, type RouteContext } from './dispatch.ts';
import { jsonResponse } from './json-response.ts';
import type { AuthRequest } from './messages.ts';
import { plainRequest } from './plain-request.test.support.ts';

/** Two routes at `/thing`, and one at `/other` that each test changes. */
function fixture(otherRoute: Partial<Dispatchable> = {}) {
  const events: SecurityEvent[] = [];
  const respondWith = (name: string) => () => jsonResponse(200, { name });
  const http = createDispatch(
    [
      { method: 'GET', path: '/thing', handle: respondWith('read') },
      { method: 'PATCH', path: '/thing', handle: respondWith('change') },
      { method: 'POST', path: '/other', handle: respondWith('other'), ...otherRoute },
    ],
    { authorizeRequest, assertCredentialValid, emit: (event) => events.push(event) },
  );
  const send = async (method: string, path: string, mountPath = '', authorization?: string) => {
    const request = plainRequest({ method, path, mountPath, authorization });
    const { status, headers, body } = await http.handle(request);
    return { status, headers, body: JSON.parse(body) };
  };
  return { http, send, events };
}

const ADA = {
  credential: 'access_token',
  userId: 'ada',
  scopes: ['user'],
  accounts: [1],
  accountId: null,
  sessionId: 's',
  clientId: 'c',
  tokenId: 't',
  issuedAtMs: 0,
  expiresAtMs: 1,
  authTimeMs: 0,
  amr: ['pwd'],
  claims: {},
} as const;

/** Accepts one token, which has every scope except `admin`. */
const authorizeRequest: AuthorizeRequest = async ({ authorization }, { scope }) => {
  if (authorization !== 'Bearer ada') throw new AuthError('invalid_token', 'No.');
  if (scope === 'admin') throw new AuthError('insufficient_scope', 'No.');
  return ADA;
};

const recheckedCredentials: unknown[] = [];
const assertCredentialValid: AssertCredentialValid = async ({ authorization }) => {
  recheckedCredentials.push(authorization);
};

function throwingRoute(error: unknown): Pick<Dispatchable, 'handle'> {
  return {
    handle() {
      throw error;
    },
  };
}

describe('dispatch', () => {
  it('calls the route of a method and a path', async () => {
    const { send } = fixture();
    expect(await send('GET', '/thing')).toMatchObject({ status: 200, body: { name: 'read' } });
    expect(await send('PATCH', '/thing')).toMatchObject({ status: 200, body: { name: 'change' } });
  });

  it('sends the same response to HEAD as to GET', async () => {
    const { send } = fixture();
    expect(await send('HEAD', '/thing')).toEqual(await send('GET', '/thing'));
  });

  it.each(['/', '', '/thing/', '/Thing', '/thing/1', '/__proto__', 'thing'])(
    'does not own %j, and responds with 404 to a request for that path',
    async (path) => {
      const { http, send } = fixture();
      expect(http.owns(path)).toBe(false);
      expect(await send('GET', path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    },
  );

  it('owns a path for all methods', () => {
    const { http } = fixture();
    expect(http.owns('/thing')).toBe(true);
    expect(http.owns('/other')).toBe(true);
  });

  it.each([
    ['DELETE', '/thing', 'GET, HEAD, PATCH'],
    ['get', '/thing', 'GET, HEAD, PATCH'],
    ['HEAD', '/other', 'POST'],
    ['__proto__', '/other', 'POST'],
  ])('responds with 405 to %s %s, and the header Allow: %s', async (method, path, allow) => {
    expect(await fixture().send(method, path)).toMatchObject({
      status: 405,
      headers: { allow, 'cache-control': 'no-store' },
      body: { error: 'invalid_request' },
    });
  });

  it.each<[AuthErrorCode, number]>([
    ['invalid_grant', 400],
    ['access_denied', 403],
    ['temporarily_unavailable', 503],
  ])('responds to the AuthError %s with its status, and emits nothing', async (code, status) => {
    const { send, events } = fixture(
      throwingRoute(new AuthError(code, 'No.', { retryAfterSeconds: 7 })),
    );
    expect(await send('POST', '/other')).toMatchObject({
      status,
      headers: { 'retry-after': '7' },
      body: { error: code, error_description: 'No.' },
    });
    expect(events).toEqual([]);
  });

  it.each([
    ['host', {}],
    ['user_store', { where: 'user_store' }],
  ] as const)('responds with 500 to a fault of the %s, and emits it', async (where, details) => {
    const error = new AuthError('server_error', 'Mount it earlier.', details);
    const { send, events } = fixture(throwingRoute(error));
    expect(await send('POST', '/other')).toMatchObject({
      status: 500,
      body: { error_description: 'Mount it earlier.' },
    });
    expect(events).toEqual([{ type: 'fault', where, error }]);
  });

  it.each<[string, (error: Error) => Dispatchable['handle']]>([
    ['thrown', (error) => throwingRoute(error).handle],
    ['rejected', (error) => () => Promise.reject(error)],
  ])(
    'responds with 500 to an error that is %s, hides the message and emits a fault',
    async (_, handle) => {
      const error = new Error('secret');
      const { send, events } = fixture({ handle: handle(error) });
      const { status, body } = await send('POST', '/other');
      expect([status, body.error]).toEqual([500, 'server_error']);
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
    },
  );
});

describe('a route that requires authorization', () => {
  const contexts: RouteContext[] = [];
  const routeFor = (scope: 'user' | 'admin'): Partial<Dispatchable> => ({
    path: '/other/{id}',
    auth: { scope },
    handle(_request, context) {
      contexts.push(context);
      return jsonResponse(200, {});
    },
  });

  it('gets the AuthInfo and the path parameters', async () => {
    const { send } = fixture(routeFor('user'));
    expect(await send('POST', '/other/7', '', 'Bearer ada')).toMatchObject({ status: 200 });
    expect(contexts.splice(0)).toMatchObject([{ params: { id: '7' }, auth: ADA }]);
  });

  it('rechecks the credential only if the handler calls assertCredentialValid', async () => {
    await fixture(routeFor('user')).send('POST', '/other/7', '', 'Bearer ada');
    expect(recheckedCredentials).toEqual([]);
    await contexts.splice(0)[0]?.assertCredentialValid();
    expect(recheckedCredentials).toEqual(['Bearer ada']);
  });

  it.each([
    ['user', undefined, 401],
    ['user', 'Bearer eve', 401],
    ['admin', 'Bearer ada', 403],
  ] as const)(
    'is not called if it requires the scope %s and the credential is %s: the status is %i',
    async (scope, authorization, status) => {
      const { send, events } = fixture(routeFor(scope));
      expect(await send('POST', '/other/7', '', authorization)).toMatchObject({ status });
      expect([contexts, events]).toEqual([[], []]);
    },
  );

  it('responds with 405 to a wrong method, even without a credential', async () => {
    const { send } = fixture(routeFor('user'));
    expect(await send('GET', '/other/7')).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
  });

  it('sends its answerHeaders even with a 401', async () => {
    const { send } = fixture({ ...routeFor('user'), answerHeaders: () => ({ link: '</x>' }) });
    expect(await send('POST', '/other/7')).toMatchObject({
      status: 401,
      headers: { link: '</x>' },
    });
  });
});

describe('answerHeaders of a route', () => {
  const answerHeaders = ({ mountPath }: AuthRequest) => ({ link: `<${mountPath}/thing>` });

  it('are sent with the response of the route', async () => {
    expect(await fixture({ answerHeaders }).send('POST', '/other', '/auth')).toMatchObject({
      status: 200,
      headers: { link: '</auth/thing>', 'cache-control': 'no-store' },
    });
  });

  it.each([
    ['rejections', new AuthError('invalid_grant', 'No.'), 400],
    ['faults', new Error('broken'), 500],
  ])('are sent with the %s of the route', async (_, error, status) => {
    const { send } = fixture({ answerHeaders, ...throwingRoute(error) });
    expect(await send('POST', '/other', '/auth')).toMatchObject({
      status,
      headers: { link: '</auth/thing>', 'cache-control': 'no-store' },
    });
  });

  it('are not sent with a 405', async () => {
    const { headers } = await fixture({ answerHeaders }).send('PUT', '/other');
    expect(headers).not.toHaveProperty('link');
  });

  it('cause a 500 before the handler is called if they throw', async () => {
    const error = new Error('no headers');
    let isHandled = false;
    const { send, events } = fixture({
      answerHeaders() {
        throw error;
      },
      handle() {
        isHandled = true;
        return jsonResponse(200, {});
      },
    });
    expect(await send('POST', '/other')).toMatchObject({ status: 500 });
    expect(isHandled).toBe(false);
    expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
  });

  it('are sent with the response to HEAD if the route is for GET', async () => {
    const { send } = fixture({ method: 'GET', answerHeaders });
    expect((await send('HEAD', '/other')).headers).toHaveProperty('link');
  });
});
