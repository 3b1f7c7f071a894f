import { gzipSync } from 'node:zlib';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import type { Fixture } from './fixture.ts';
import type { Reach } from './host.ts';
import type { RequestToSend } from './send-request.ts';

export interface RouteAnswer {
  readonly status: number;
  /** `error` of the body; absent: none. */
  readonly error?: string;
  /** The host's own parser rejects the request, before Latchhook's handler. */
  readonly byHost?: true;
}

/** A request for a route of Latchhook, and the response that every host must give. */
export interface RouteCase extends RouteAnswer {
  readonly title: string;
  /** `path` is below the mount. */
  readonly request: (fixture: Fixture) => RequestToSend;
  /** Other responses, by the state of the body when Latchhook's handler runs. */
  readonly instead?: Partial<Record<Reach, RouteAnswer>>;
}

const JSON_TYPE = ['content-type', 'application/json'];
const FORM_TYPE = ['content-type', 'application/x-www-form-urlencoded'];

const LIMIT = 16_384;
const LOST = { lost: { status: 500, error: 'server_error' } } as const;

function post(body: unknown, path = '/token'): RequestToSend {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'POST', path, headers: JSON_TYPE, body: text };
}

function refresh({ refreshToken }: Fixture): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: refreshToken };
}

function bearer(token: string): readonly string[] {
  return ['authorization', `Bearer ${token}`];
}

export const routeCases: readonly RouteCase[] = [
  {
    title: 'POST /token logs a user in with the right password',
    request: () => post({ username: 'alan@example.com', password: TEST_PASSWORD }),
    status: 200,
    instead: LOST,
  },
  {
    title: 'POST /token rejects a wrong password',
    request: () => post({ username: 'alan@example.com', password: 'wrong' }),
    status: 400,
    error: 'invalid_grant',
    instead: LOST,
  },
  {
    title: 'POST /token refreshes with a refresh token',
    request: (fixture) => post(refresh(fixture)),
    status: 200,
    instead: LOST,
  },
  {
    title: 'POST /token refreshes with a refresh token in a form',
    request: (fixture) => ({
      method: 'POST',
      path: '/token',
      headers: FORM_TYPE,
      body: new URLSearchParams(refresh(fixture)).toString(),
    }),
    status: 200,
    instead: LOST,
  },
  {
    title: 'PUT /token?version=v1 refreshes with a refresh token',
    request: (fixture) => ({ ...post(refresh(fixture), '/token?version=v1'), method: 'PUT' }),
    status: 200,
    instead: LOST,
  },
  {
    title: 'rejects ?version=v3, which does not exist',
    request: (fixture) => post(refresh(fixture), '/token?version=v3'),
    status: 400,
    error: 'invalid_request',
  },
  {
    title: 'ignores a fragment in the request target',
    request: (fixture) => post(refresh(fixture), '/token?version=v1#version=v3'),
    status: 200,
    instead: LOST,
  },
  {
    title: 'rejects malformed JSON',
    request: () => post('{"username":'),
    status: 400,
    error: 'invalid_request',
    instead: { ...LOST, parsed: { status: 400, byHost: true } },
  },
  {
    title: 'rejects JSON that is not an object',
    request: () => post([]),
    status: 400,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    title: 'rejects a request without a body',
    request: () => ({ method: 'POST', path: '/token' }),
    status: 400,
    error: 'invalid_request',
  },
  {
    title: 'rejects a chunked body that is empty',
    request: () => ({ ...post(''), chunked: true }),
    status: 400,
    error: 'invalid_request',
  },
  {
    title: 'rejects a body of type text/plain',
    request: () => ({
      method: 'POST',
      path: '/token',
      headers: ['content-type', 'text/plain'],
      body: '{}',
    }),
    status: 415,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    title: 'rejects a body with a Content-Encoding, even if a parser has decoded it',
    request: (fixture) => ({
      method: 'POST',
      path: '/token',
      headers: [...JSON_TYPE, 'content-encoding', 'gzip'],
      body: gzipSync(JSON.stringify(refresh(fixture))),
    }),
    status: 415,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    title: 'rejects a body whose Content-Length is too large',
    request: (fixture) => post({ ...refresh(fixture), padding: ' '.repeat(LIMIT) }),
    status: 413,
    error: 'invalid_request',
  },
  {
    title: 'rejects a chunked body that is too large',
    request: (fixture) => ({
      ...post(JSON.stringify(refresh(fixture)).padEnd(LIMIT + 1)),
      chunked: true,
    }),
    status: 413,
    error: 'invalid_request',
    // The length is not announced, so the limit of the host's parser applies.
    instead: { ...LOST, parsed: { status: 200 } },
  },
  {
    title: 'accepts a chunked body',
    request: (fixture) => ({ ...post(refresh(fixture)), chunked: true }),
    status: 200,
    instead: LOST,
  },
  {
    title: 'responds to DELETE /token with 405 and Allow',
    request: () => ({ ...post({}), method: 'DELETE' }),
    status: 405,
    error: 'invalid_request',
  },
  {
    title: 'responds to HEAD like to GET, but without a body',
    request: () => ({ method: 'HEAD', path: '/.well-known/jwks.json' }),
    status: 200,
  },
  {
    title: 'responds to HEAD /token with 405 and without a body',
    request: () => ({ method: 'HEAD', path: '/token' }),
    status: 405,
    error: 'invalid_request',
  },
  {
    title: 'serves the JWKS',
    request: () => ({ method: 'GET', path: '/.well-known/jwks.json' }),
    status: 200,
  },
  {
    title: 'lists its endpoints in the OAuth metadata with the mount path',
    request: () => ({ method: 'GET', path: '/.well-known/oauth-authorization-server' }),
    status: 200,
  },
  {
    title: 'rejects a request without a token before it reads the body',
    request: () => post('{"url":', '/webhooks'),
    status: 401,
    error: 'invalid_token',
    instead: { parsed: { status: 400, byHost: true } },
  },
  {
    title: 'GET /webhooks accepts a token',
    request: ({ accessToken }) => ({
      method: 'GET',
      path: '/webhooks?limit=1',
      headers: bearer(accessToken),
    }),
    status: 200,
  },
  {
    title: 'GET /webhooks rejects two Authorization headers',
    request: ({ accessToken, internalToken }) => ({
      method: 'GET',
      path: '/webhooks',
      headers: [...bearer(accessToken), ...bearer(internalToken)],
    }),
    status: 401,
    error: 'invalid_token',
  },
  {
    title: 'POST /token/introspect accepts a form',
    request: ({ personalToken, accessToken }) => ({
      method: 'POST',
      path: '/token/introspect',
      headers: [...FORM_TYPE, ...bearer(personalToken)],
      body: new URLSearchParams({ token: accessToken }).toString(),
    }),
    status: 200,
    instead: LOST,
  },
  {
    title: 'PATCH /webhooks/{id} with a token rejects an invalid body',
    request: ({ accessToken }) => {
      const request = post({ url: 1 }, '/webhooks/wh_unknown');
      return { ...request, method: 'PATCH', headers: [...JSON_TYPE, ...bearer(accessToken)] };
    },
    status: 400,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    title: 'DELETE /webhooks/{id} responds with 404 to an unknown id that is percent-encoded',
    request: ({ accessToken }) => ({
      method: 'DELETE',
      path: '/webhooks/wh%5Funknown',
      headers: bearer(accessToken),
    }),
    status: 404,
    error: 'not_found',
  },
];
