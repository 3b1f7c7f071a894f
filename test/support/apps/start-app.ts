import { onTestFinished } from 'vitest';
import { type AppClient, connectApp } from './app-client.ts';
import { type SpawnedApp, spawnApp } from './spawn-app.ts';

/** The environment of an app. */
export type Settings = Readonly<Record<string, string>>;

/** An app that is up, and a client of it. */
interface StartedApp {
  readonly app: SpawnedApp;
  readonly client: AppClient;
}

/** The issuer of all apps that are to accept each other's tokens. */
export const ISSUER = 'http://127.0.0.1:3000';

/** Starts a starter for the length of the test. */
export async function startApp(name: string, env: Settings = {}): Promise<StartedApp> {
  const app = await spawnApp(name, { env });
  onTestFinished(() => app.kill9());
  const client = connectApp(app.url);
  onTestFinished(() => client.close());
  return { app, client };
}

/** The same with the issuer that all of them have. */
export function startWithSharedIssuer(name: string, settings: Settings): Promise<StartedApp> {
  return startApp(name, { ISSUER, ...settings });
}
