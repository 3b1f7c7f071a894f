import { expect } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { SESSIONS } from './session-calls.ts';
import { errorOf, get } from './token-calls.ts';
import type { UserCalls } from './webhook-calls.ts';

/** The header `WWW-Authenticate` of the response to any invalid token. */
export const BAD_TOKEN =
  'Bearer error="invalid_token", error_description="The access token is malformed, expired, revoked or not valid here."';

/** Expects the response to a request without a valid token. */
export function expectRejected(response: HttpResponse, challenge: string): void {
  expect(errorOf(response, 401).error).toBe('invalid_token');
  expect(response.headers['www-authenticate']).toBe(challenge);
  expect(response.headers['cache-control']).toBe('no-store');
}

/** Expects that a route of the host rejects the token. */
export async function expectRejectedToken(app: TestApp, token: string): Promise<void> {
  expectRejected(await get(app, '/me', token), BAD_TOKEN);
}

/** Expects the same response as to a request that is sent after its credential has ended. */
export async function expectEnded(response: HttpResponse, calls: UserCalls): Promise<void> {
  const seenByClient = ({ status, body, headers }: HttpResponse) => [
    status,
    body,
    headers['www-authenticate'],
  ];
  expect(seenByClient(response)).toEqual(seenByClient(await calls.send('GET', SESSIONS)));
  expect(errorOf(response, 401).error).toBe('invalid_token');
}
