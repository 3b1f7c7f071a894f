import { identity } from './identity.mjs';

const FORM = 'application/x-www-form-urlencoded';
const client = {
  client_id: identity.BENCH_CLIENT_ID,
  client_secret: identity.BENCH_CLIENT_SECRET,
};
const form = (fields) => new URLSearchParams({ ...client, ...fields }).toString();

/** The password grant as a request. */
export function passwordRequest({
  username = identity.BENCH_USERNAME,
  password = identity.BENCH_PASSWORD,
} = {}) {
  const body = form({ grant_type: 'password', username, password });
  return { method: 'POST', path: '/token', type: FORM, body };
}

/** The refresh grant as a request; `{token}` stands for the refresh token. */
export const refreshRequest = {
  method: 'POST',
  path: '/token',
  type: FORM,
  body: `${form({ grant_type: 'refresh_token' })}&refresh_token={token}`,
};

/** `GET /hello` with a bearer token, or with `{token}` for one of many. */
export const helloRequest = (token) => ({ method: 'GET', path: '/hello', bearer: token });

/** The headers of a request that a page sends with the cookies of a grant. */
export const byCookie = (grant, refreshToken = grant.refresh_token) => ({
  origin: 'https://issuer.example',
  'latchhook-session': 'cookie',
  cookie: [
    `__Host-latchhook-access=${grant.access_token}`,
    '__Host-latchhook-hint=1',
    `__Host-latchhook-refresh=${refreshToken}`,
  ].join('; '),
});

/** Sends one request and resolves to the parsed body; throws for any status but `status`. */
export async function send(server, request, status = 200) {
  const headers = {};
  if (request.type !== undefined) headers['content-type'] = request.type;
  if (request.bearer !== undefined) headers.authorization = `Bearer ${request.bearer}`;
  const { method, body } = request;
  const response = await fetch(server.url + request.path, { method, headers, body });
  const text = await response.text();
  if (response.status !== status) {
    throw new Error(`${server.name}: ${request.path} answered ${response.status} ${text}`);
  }
  return JSON.parse(text);
}

/** `count` password grants, 32 at a time; the n-th of the user `usernameOf(n)`, by default all of one user. */
export async function passwordGrants(server, count, usernameOf = () => identity.BENCH_USERNAME) {
  const grants = [];
  const grant = (nth) => send(server, passwordRequest({ username: usernameOf(nth) }));
  while (grants.length < count) {
    const length = Math.min(32, count - grants.length);
    const batch = Array.from({ length }, (_, i) => grant(grants.length + i));
    grants.push(...(await Promise.all(batch)));
  }
  return grants;
}
