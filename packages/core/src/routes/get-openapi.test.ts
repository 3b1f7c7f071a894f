import { describe, expect, it } from 'vitest';
import { jsonResponse } from '../http/json-response.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { PING_EVENT } from '../webhook-events.ts';
import type { EventType } from '../webhooks/events/event-types.ts';
import { defineRoute } from './define-route.ts';
import { getOpenapi } from './get-openapi.ts';
import type { Route } from './route.ts';
import { createRouteUrl } from './route-url.ts';

const routeUrl = createRouteUrl('https://api.example.com', undefined);

function routeAt(path: string): Route {
  return defineRoute({
    method: 'GET',
    path,
    operationId: 'getThing',
    summary: 'A thing',
    answers: { 200: { description: 'It.' } },
    handle: () => jsonResponse(200, {}),
  });
}

async function send(route: Route, mountPath = '') {
  const request = plainRequest({ method: 'GET', path: route.path, mountPath });
  return route.handle(request, {
    params: {},
    auth: undefined,
    assertCredentialValid: async () => {},
  });
}

async function documentOf(routes: readonly Route[], eventTypes?: ReadonlyMap<string, EventType>) {
  const openapi = getOpenapi(routes, routeUrl, {
    scopeTable: builtInScopes,
    published: eventTypes && { eventTypes, accountIdKind: 'integer' },
  });
  return JSON.parse((await send(openapi)).body);
}

describe('GET /openapi.json', () => {
  it('describes the routes once for all requests and mount paths', async () => {
    let descriptions = 0;
    const watched = new Proxy(routeAt('/things'), {
      get(route, name, receiver) {
        if (name === 'summary') descriptions += 1;
        return Reflect.get(route, name, receiver);
      },
    });
    const openapi = getOpenapi([watched], routeUrl, { scopeTable: builtInScopes });
    const mountPaths = ['/a', '/a', '/b', '/a'];
    const responses = await Promise.all(mountPaths.map((mountPath) => send(openapi, mountPath)));
    const servers = responses.map(({ body }) => JSON.parse(body).servers);
    expect(servers).toEqual(
      mountPaths.map((mountPath) => [{ url: `https://api.example.com${mountPath}` }]),
    );
    expect(descriptions).toBe(1);
  });

  it('returns the same response for the same mount path', async () => {
    const openapi = getOpenapi([], routeUrl, { scopeTable: builtInScopes });
    expect(await send(openapi, '/a')).toBe(await send(openapi, '/a'));
  });

  it('describes itself', async () => {
    const openapi = getOpenapi([], routeUrl, { scopeTable: builtInScopes });
    expect(Object.keys(JSON.parse((await send(openapi)).body).paths)).toEqual(['/openapi.json']);
  });

  it('describes only the features that are mounted', async () => {
    const about = async (...paths: readonly string[]) =>
      (await documentOf(paths.map(routeAt))).info.description;
    expect(await about('/token')).toMatch(/^A first-party login/);
    expect(await about('/token')).not.toMatch(/personal access token|webhook/i);
    expect(await about('/token', '/users/self/pats/{id}')).toMatch(/login.*Personal access tokens/);
    expect(await about('/token', '/webhooks')).toMatch(/login.*Webhooks/);
  });

  it('has a `webhooks` section only if events are published', async () => {
    const types = new Map([['invoice.paid', {}]]);
    expect(Object.keys((await documentOf([], types)).webhooks)).toEqual([
      'invoice.paid',
      PING_EVENT,
    ]);
    const without = await documentOf([]);
    expect(without).not.toHaveProperty('webhooks');
    expect(Object.keys(without.components)).toEqual(['schemas', 'headers', 'securitySchemes']);
  });
});
