import { expect } from 'vitest';
import type { TestApp } from '../apps/test-app.ts';
import { answerChallenge, errorOf, totp } from './token-calls.ts';

/** Expects a rejection without `attempts_remaining`. */
export async function expectDeadChallenge(
  app: TestApp,
  challenge: string,
  code = totp(app),
): Promise<void> {
  expect(errorOf(await answerChallenge(app, challenge, { code }))).toEqual({
    error: 'invalid_grant',
    error_description: 'The challenge is not valid.',
  });
}
