import { onTestFinished } from 'vitest';
import { type AppClient, connectApp } from './app-client.ts';
import { type SpawnedApp, spawnApp } from './spawn-app.ts';

/** The environment of an app. */
export type Settings = Readonly<Record<string, string>>;

/** A running app and its client. */
interface StartedApp {
  readonly app: SpawnedApp;
  readonly client: AppClient;
}

/** The issuer of apps that accept each other's tokens. */
export const ISSUER = 'http://127.0.0.1:3000';

/** Starts a starter, until the end of the test. */
export async function startApp(name: string, env: Settings = {}): Promise<StartedApp> {
  const app = await spawnApp(name, { env });
  onTestFinished(() => app.kill9());
  const client = connectApp(app.url);
  onTestFinished(() => client.close());
  return { app, client };
}

/** Starts a starter with {@link ISSUER}, until the end of the test. */
export function startWithSharedIssuer(name: string, settings: Settings): Promise<StartedApp> {
  return startApp(name, { ISSUER, ...settings });
}
