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
function fixture(other: Partial<Dispatchable> = {}) {
  const events: SecurityEvent[] = [];
  const answering = (name: string) => () => jsonResponse(200, { name });
  const http = createDispatch(
    [
      { method: 'GET', path: '/thing', handle: answering('read') },
      { method: 'PATCH', path: '/thing', handle: answering('change') },
      { method: 'POST', path: '/other', handle: answering('other'), ...other },
    ],
    { authorizeRequest, assertCredentialValid, emit: (event) => events.push(event) },
  );
  const ask = async (method: string, path: string, mountPath = '', authorization?: string) => {
    const asked = plainRequest({ method, path, mountPath, authorization });
    const { status, headers, body } = await http.handle(asked);
    return { status, headers, body: JSON.parse(body) };
  };
  return { http, ask, events };
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

/** Knows one token, and lets it do anything but administer. */
const authorizeRequest: AuthorizeRequest = async ({ authorization }, { scope }) => {
  if (authorization !== 'Bearer ada') throw new AuthError('invalid_token', 'No.');
  if (scope === 'admin') throw new AuthError('insufficient_scope', 'No.');
  return ADA;
};

/** Which credentials were looked at again. */
const lookedAgain: unknown[] = [];
const assertCredentialValid: AssertCredentialValid = async ({ authorization }) => {
  lookedAgain.push(authorization);
};

function throwing(error: unknown): Pick<Dispatchable, 'handle'> {
  return {
    handle() {
      throw error;
    },
  };
}

describe('dispatch', () => {
  it('finds the route by method and path', async () => {
    const { ask } = fixture();
    expect(await ask('GET', '/thing')).toMatchObject({ status: 200, body: { name: 'read' } });
    expect(await ask('PATCH', '/thing')).toMatchObject({ status: 200, body: { name: 'change' } });
  });

  it('answers HEAD as GET', async () => {
    const { ask } = fixture();
    expect(await ask('HEAD', '/thing')).toEqual(await ask('GET', '/thing'));
  });

  it.each(['/', '', '/thing/', '/Thing', '/thing/1', '/__proto__', 'thing'])(
    'does not own %j, and answers 404 to a request for it',
    async (path) => {
      const { http, ask } = fixture();
      expect(http.owns(path)).toBe(false);
      expect(await ask('GET', path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
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
  ])('answers 405 to %s %s, with the header Allow: %s', async (method, path, allow) => {
    expect(await fixture().ask(method, path)).toMatchObject({
      status: 405,
      headers: { allow, 'cache-control': 'no-store' },
      body: { error: 'invalid_request' },
    });
  });

  it.each<[AuthErrorCode, number]>([
    ['invalid_grant', 400],
    ['access_denied', 403],
    ['temporarily_unavailable', 503],
  ])('answers the AuthError %s with its status, and emits nothing', async (code, status) => {
    const { ask, events } = fixture(throwing(new AuthError(code, 'No.', { retryAfterSeconds: 7 })));
    expect(await ask('POST', '/other')).toMatchObject({
      status,
      headers: { 'retry-after': '7' },
      body: { error: code, error_description: 'No.' },
    });
    expect(events).toEqual([]);
  });

  it.each([
    ['host', {}],
    ['user_store', { where: 'user_store' }],
  ] as const)('emits a fault of the %s', async (where, details) => {
    const error = new AuthError('server_error', 'Mount it earlier.', details);
    const { ask, events } = fixture(throwing(error));
    expect(await ask('POST', '/other')).toMatchObject({
      status: 500,
      body: { error_description: 'Mount it earlier.' },
    });
    expect(events).toEqual([{ type: 'fault', where, error }]);
  });

  it.each<[string, (error: Error) => Dispatchable['handle']]>([
    ['thrown', (error) => throwing(error).handle],
    ['rejected', (error) => () => Promise.reject(error)],
  ])(
    'answers 500 to an error that is %s, hides its message and emits a fault',
    async (_, handle) => {
      const error = new Error('secret');
      const { ask, events } = fixture({ handle: handle(error) });
      const { status, body } = await ask('POST', '/other');
      expect([status, body.error]).toEqual([500, 'server_error']);
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
    },
  );
});

describe('a route that requires authorization', () => {
  const seen: RouteContext[] = [];
  const closed = (scope: 'user' | 'admin'): Partial<Dispatchable> => ({
    path: '/other/{id}',
    auth: { scope },
    handle(_request, context) {
      seen.push(context);
      return jsonResponse(200, {});
    },
  });

  it('gets the AuthInfo and the path parameters', async () => {
    const { ask } = fixture(closed('user'));
    expect(await ask('POST', '/other/7', '', 'Bearer ada')).toMatchObject({ status: 200 });
    expect(seen.splice(0)).toMatchObject([{ params: { id: '7' }, auth: ADA }]);
  });

  it('rechecks the credential only if the handler calls assertCredentialValid', async () => {
    await fixture(closed('user')).ask('POST', '/other/7', '', 'Bearer ada');
    expect(lookedAgain).toEqual([]);
    await seen.splice(0)[0]?.assertCredentialValid();
    expect(lookedAgain).toEqual(['Bearer ada']);
  });

  it.each([
    ['user', undefined, 401],
    ['user', 'Bearer eve', 401],
    ['admin', 'Bearer ada', 403],
  ] as const)(
    'of scope %s is not called for the credential %s',
    async (scope, authorization, status) => {
      const { ask, events } = fixture(closed(scope));
      expect(await ask('POST', '/other/7', '', authorization)).toMatchObject({ status });
      expect([seen, events]).toEqual([[], []]);
    },
  );

  it('answers 405 with Allow to a request without a credential', async () => {
    const { ask } = fixture(closed('user'));
    expect(await ask('GET', '/other/7')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('sends its answerHeaders with a 401, too', async () => {
    const { ask } = fixture({ ...closed('user'), answerHeaders: () => ({ link: '</x>' }) });
    expect(await ask('POST', '/other/7')).toMatchObject({ status: 401, headers: { link: '</x>' } });
  });
});

describe('answerHeaders of a route', () => {
  const answerHeaders = ({ mountPath }: AuthRequest) => ({ link: `<${mountPath}/thing>` });

  it('are sent with its response', async () => {
    expect(await fixture({ answerHeaders }).ask('POST', '/other', '/auth')).toMatchObject({
      status: 200,
      headers: { link: '</auth/thing>', 'cache-control': 'no-store' },
    });
  });

  it.each([
    ['rejections', new AuthError('invalid_grant', 'No.'), 400],
    ['faults', new Error('broken'), 500],
  ])('are sent with its %s', async (_, error, status) => {
    const { ask } = fixture({ answerHeaders, ...throwing(error) });
    expect(await ask('POST', '/other', '/auth')).toMatchObject({
      status,
      headers: { link: '</auth/thing>', 'cache-control': 'no-store' },
    });
  });

  it('are not sent with a 405', async () => {
    const { headers } = await fixture({ answerHeaders }).ask('PUT', '/other');
    expect(headers).not.toHaveProperty('link');
  });

  it('that throw cause a 500 before the handler is called', async () => {
    const error = new Error('no headers');
    let handled = false;
    const { ask, events } = fixture({
      answerHeaders() {
        throw error;
      },
      handle() {
        handled = true;
        return jsonResponse(200, {});
      },
    });
    expect(await ask('POST', '/other')).toMatchObject({ status: 500 });
    expect(handled).toBe(false);
    expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
  });

  it('of GET are sent with the response to HEAD', async () => {
    const { ask } = fixture({ method: 'GET', answerHeaders });
    expect((await ask('HEAD', '/other')).headers).toHaveProperty('link');
  });
});
