import type { LoginRequest } from '@latchhook/client';
import { onTestFinished } from 'vitest';
import { startTestApp, type TestApp, type TestAppOptions } from '../apps/test-app.ts';
import { TEST_PASSWORD } from '../clients/users.ts';

export const ADA: LoginRequest = { username: 'ada@example.com', password: TEST_PASSWORD };

/** As far as the server is concerned, every access token has expired after this. */
export const EXPIRED_MS = 3_700_000;

/** Starts an app on Express and memory for the length of the test. */
export async function startClientApp(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp({ framework: 'express', storage: 'memory' }, options);
  onTestFinished(() => app.stop());
  return app;
}

/** The rotations of refresh tokens so far, and with them all that were answered the same again. */
export function refreshesOf({ events }: TestApp): { rotations: number; requests: number } {
  const refreshes = events.flatMap((event) => (event.type === 'session.refreshed' ? [event] : []));
  const rotations = refreshes.filter(({ replayed }) => !replayed);
  return { rotations: rotations.length, requests: refreshes.length };
}
