import { describe, expect, it } from 'vitest';
import type { AssertCredentialValid } from '../bearer/assert-credential-valid.ts';
import { workMs } from '../work-ms.test.support.ts';
import { createDispatch } from './dispatch.ts';
import { jsonResponse } from './json-response.ts';
import { plainRequest } from './plain-request.test.support.ts';

const routes = [
  { method: 'GET', path: '/things' },
  { method: 'POST', path: '/things' },
  { method: 'GET', path: '/things/{id}' },
  { method: 'DELETE', path: '/things/{id}' },
  { method: 'DELETE', path: '/things/all' },
  { method: 'POST', path: '/things/{id}/parts/{part}/mend' },
] as const;

const unused: AssertCredentialValid & (() => never) = () => {
  throw new Error('no route requires a credential');
};
const http = createDispatch(
  routes.map((route) => ({
    ...route,
    handle: (_, { params }) => jsonResponse(200, { route, params }),
  })),
  { authorizeRequest: unused, assertCredentialValid: unused, emit: () => {} },
);

/** The route that responds to a request, and its parameters; or the error. */
async function responseTo(method: string, path: string) {
  const { status, headers, body } = await http.handle(plainRequest({ method, path }));
  return status === 200 ? JSON.parse(body) : { status, allow: headers['allow'] };
}

describe('a path with parameters', () => {
  it('matches its route, with the value of each parameter', async () => {
    expect(await responseTo('GET', '/things/t_1')).toEqual({
      route: routes[2],
      params: { id: 't_1' },
    });
    expect(await responseTo('POST', '/things/t_1/parts/p-2/mend')).toEqual({
      route: routes[5],
      params: { id: 't_1', part: 'p-2' },
    });
  });

  it.each(['/things/t%5F1', '/things/..', '/things/..%2f', '/things/{id}', '/things/__proto__'])(
    'yields any value of a parameter without decoding: %s',
    async (path) => {
      expect(await responseTo('GET', path)).toMatchObject({
        params: { id: path.slice('/things/'.length) },
      });
    },
  );

  it.each([
    '/things/',
    '/things//',
    '/things/t_1/',
    '/things/t_1/parts',
    '/things/t_1/parts//mend',
    '/things/t_1/parts/p/mend/',
    '/things/t_1/PARTS/p/mend',
    '/Things/t_1',
    '//things/t_1',
    'things/t_1',
    '/other/t_1',
    '/__proto__/t_1',
  ])('does not match %s', async (path) => {
    expect(http.owns(path)).toBe(false);
    expect(await responseTo('GET', path)).toEqual({ status: 404 });
  });

  it('is owned for all methods', () => {
    expect(http.owns('/things/t_1')).toBe(true);
  });

  it('yields the allowed methods if the method is wrong', async () => {
    expect(await responseTo('PUT', '/things/t_1')).toEqual({
      status: 405,
      allow: 'GET, HEAD, DELETE',
    });
  });

  it('has lower precedence than a path without parameters', async () => {
    expect(await responseTo('DELETE', '/things/all')).toEqual({ route: routes[4], params: {} });
    expect(await responseTo('GET', '/things/all')).toEqual({ status: 405, allow: 'DELETE' });
  });

  it('is mapped to its declared template by routeOf', () => {
    expect(http.routeOf('/things/t_1')).toBe('/things/{id}');
    expect(http.routeOf('/things/all')).toBe('/things/all');
    expect(http.routeOf('/elsewhere')).toBeUndefined();
  });

  it('is matched in less than 50 ms even with 50,000 segments', () => {
    const long = `/things/${'x/'.repeat(50_000)}`;
    const tookMs = workMs(() => {
      expect(http.owns(long)).toBe(false);
    });
    expect(tookMs).toBeLessThan(50);
  });
});
