import type { LoginRequest } from '@latchhook/client';
import { onTestFinished } from 'vitest';
import { startTestApp, type TestApp, type TestAppOptions } from '../apps/test-app.ts';
import { TEST_PASSWORD } from '../clients/users.ts';

export const ADA: LoginRequest = { username: 'ada@example.com', password: TEST_PASSWORD };

/** After this time, every access token has expired on the server, ms. */
export const EXPIRED_MS = 3_700_000;

/** Starts an app on Express and memory, until the end of the test. */
export async function startClientApp(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp({ framework: 'express', storage: 'memory' }, options);
  onTestFinished(() => app.stop());
  return app;
}

/** The numbers of rotations so far, and of refreshes including replays. */
export function refreshesOf({ events }: TestApp): { rotations: number; requests: number } {
  const refreshes = events.flatMap((event) => (event.type === 'session.refreshed' ? [event] : []));
  const rotations = refreshes.filter(({ replayed }) => !replayed);
  return { rotations: rotations.length, requests: refreshes.length };
}
