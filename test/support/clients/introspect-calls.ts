import { expect } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { JSON_TYPE, session } from './token-calls.ts';

export const INTROSPECT = '/token/introspect';

/** Introspects a token with the bearer token of an authorized service. */
type Introspect = (token: string) => Promise<HttpResponse>;

export async function serviceOf(app: TestApp): Promise<Introspect> {
  const { access_token } = await session(app, 'ada', { scopes: 'internal' });
  return (token) => introspect(app, access_token, JSON.stringify({ token }));
}

export function introspect(
  app: TestApp,
  bearer: string,
  body: string,
  type: readonly string[] = JSON_TYPE,
): Promise<HttpResponse> {
  const headers = [...type, 'authorization', `Bearer ${bearer}`];
  return app.send({ method: 'POST', path: INTROSPECT, headers, body });
}

/** @throws {Error} with the response if its status is not 200 */
export function claimsIn({ status, body }: HttpResponse): Readonly<Record<string, unknown>> {
  if (status !== 200) throw new Error(`expected 200, and was answered ${status}: ${body}`);
  return JSON.parse(body);
}

export function expectInactive(response: HttpResponse): void {
  expect([response.status, response.body]).toEqual([200, '{"active":false}']);
  expect(response.headers['cache-control']).toBe('no-store');
}
