import { gzipSync } from 'node:zlib';
import { TEST_PASSWORD } from '../support/users.ts';
import type { Reach } from './host.ts';
import type { Scene } from './scene.ts';
import type { RequestToSend } from './send-request.ts';

export interface RouteAnswer {
  readonly status: number;
  /** `error` of the body; absent: none. */
  readonly error?: string;
  /** The host's own parser refuses it before us. */
  readonly byHost?: true;
}

/** A request for one of our routes, and what every host must answer. */
export interface RouteCase extends RouteAnswer {
  readonly claim: string;
  /** `path` is below the mount. */
  readonly request: (scene: Scene) => RequestToSend;
  /** What is answered instead, where the body has come that far. */
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

function refresh({ refreshToken }: Scene): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: refreshToken };
}

function bearer(token: string): readonly string[] {
  return ['authorization', `Bearer ${token}`];
}

export const routeCases: readonly RouteCase[] = [
  {
    claim: 'logs in',
    request: () => post({ username: 'alan@example.com', password: TEST_PASSWORD }),
    status: 200,
    instead: LOST,
  },
  {
    claim: 'refuses a wrong password',
    request: () => post({ username: 'alan@example.com', password: 'wrong' }),
    status: 400,
    error: 'invalid_grant',
    instead: LOST,
  },
  {
    claim: 'refreshes',
    request: (scene) => post(refresh(scene)),
    status: 200,
    instead: LOST,
  },
  {
    claim: 'refreshes by a form',
    request: (scene) => ({
      method: 'POST',
      path: '/token',
      headers: FORM_TYPE,
      body: new URLSearchParams(refresh(scene)).toString(),
    }),
    status: 200,
    instead: LOST,
  },
  {
    claim: 'refreshes by PUT, in the first version',
    request: (scene) => ({ ...post(refresh(scene), '/token?version=v1'), method: 'PUT' }),
    status: 200,
    instead: LOST,
  },
  {
    claim: 'refuses a version that there is not',
    request: (scene) => post(refresh(scene), '/token?version=v3'),
    status: 400,
    error: 'invalid_request',
  },
  {
    claim: 'refuses malformed JSON',
    request: () => post('{"username":'),
    status: 400,
    error: 'invalid_request',
    instead: { ...LOST, parsed: { status: 400, byHost: true } },
  },
  {
    claim: 'refuses JSON that is no object',
    request: () => post([]),
    status: 400,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    claim: 'refuses a request without a body',
    request: () => ({ method: 'POST', path: '/token' }),
    status: 400,
    error: 'invalid_request',
  },
  {
    claim: 'refuses a body in chunks that hold nothing',
    request: () => ({ ...post(''), chunked: true }),
    status: 400,
    error: 'invalid_request',
  },
  {
    claim: 'refuses another media type',
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
    claim: 'refuses a Content-Encoding, whoever has undone it',
    request: (scene) => ({
      method: 'POST',
      path: '/token',
      headers: [...JSON_TYPE, 'content-encoding', 'gzip'],
      body: gzipSync(JSON.stringify(refresh(scene))),
    }),
    status: 415,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    claim: 'refuses a body that is announced as too large',
    request: (scene) => post({ ...refresh(scene), padding: ' '.repeat(LIMIT) }),
    status: 413,
    error: 'invalid_request',
  },
  {
    claim: 'refuses a body that turns out to be too large',
    request: (scene) => ({
      ...post(JSON.stringify(refresh(scene)).padEnd(LIMIT + 1)),
      chunked: true,
    }),
    status: 413,
    error: 'invalid_request',
    // Nobody knows how long it was: the bound is that of the host's parser.
    instead: { ...LOST, parsed: { status: 200 } },
  },
  {
    claim: 'reads a body that comes in chunks',
    request: (scene) => ({ ...post(refresh(scene)), chunked: true }),
    status: 200,
    instead: LOST,
  },
  {
    claim: 'says which methods there are',
    request: () => ({ ...post({}), method: 'DELETE' }),
    status: 405,
    error: 'invalid_request',
  },
  {
    claim: 'answers HEAD as it would GET, without the content',
    request: () => ({ method: 'HEAD', path: '/.well-known/jwks.json' }),
    status: 200,
  },
  {
    claim: 'answers HEAD without content where it refuses',
    request: () => ({ method: 'HEAD', path: '/token' }),
    status: 405,
    error: 'invalid_request',
  },
  {
    claim: 'publishes its keys',
    request: () => ({ method: 'GET', path: '/.well-known/jwks.json' }),
    status: 200,
  },
  {
    claim: 'names its endpoints where they are mounted',
    request: () => ({ method: 'GET', path: '/.well-known/oauth-authorization-server' }),
    status: 200,
  },
  {
    claim: 'asks whose request it is, before it looks at a body',
    request: () => post('{"url":', '/webhooks'),
    status: 401,
    error: 'invalid_token',
    instead: { parsed: { status: 400, byHost: true } },
  },
  {
    claim: 'takes a token for a route of its own',
    request: ({ accessToken }) => ({
      method: 'GET',
      path: '/webhooks?limit=1',
      headers: bearer(accessToken),
    }),
    status: 200,
  },
  {
    claim: 'takes no token where two came, of which a proxy may have judged the other',
    request: ({ accessToken, internalToken }) => ({
      method: 'GET',
      path: '/webhooks',
      headers: [...bearer(accessToken), ...bearer(internalToken)],
    }),
    status: 401,
    error: 'invalid_token',
  },
  {
    claim: 'answers by a form what a token is good for',
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
    claim: 'reads the body of those whom it knows',
    request: ({ accessToken }) => {
      const asked = post({ url: 1 }, '/webhooks/wh_unknown');
      return { ...asked, method: 'PATCH', headers: [...JSON_TYPE, ...bearer(accessToken)] };
    },
    status: 400,
    error: 'invalid_request',
    instead: LOST,
  },
  {
    claim: 'finds what stands in its path, percent-encoded as it came',
    request: ({ accessToken }) => ({
      method: 'DELETE',
      path: '/webhooks/wh%5Funknown',
      headers: bearer(accessToken),
    }),
    status: 404,
    error: 'not_found',
  },
];
