import { expect } from 'vitest';
import type { TestApp } from '../apps/test-app.ts';
import { errorOf, refresh, type TokenBody, tokensOf } from './token-calls.ts';

export async function refreshed(
  app: TestApp,
  { refresh_token }: TokenBody,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TokenBody> {
  return tokensOf(await refresh(app, refresh_token, fields));
}

/** Expects the generic rejection of an invalid refresh token. */
export async function expectDeadToken(app: TestApp, { refresh_token }: TokenBody): Promise<void> {
  expect(errorOf(await refresh(app, refresh_token))).toEqual({
    error: 'invalid_grant',
    error_description: 'The refresh token is not valid.',
  });
}
