import { type SpawnedApp, StartFailure } from './spawn-app.ts';
import { type Settings, startWithSharedIssuer } from './start-app.ts';

/** A running app, or the report of a failed start: how the app ended, and its output. */
type Start = { readonly app: SpawnedApp } | { readonly rejection: string };

/** Starts a starter that may exit with an error. */
export async function tryStart(settings: Settings): Promise<Start> {
  try {
    return { app: (await startWithSharedIssuer('express-starter', settings)).app };
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    return { rejection: error.report };
  }
}

export function appsOf(starts: readonly Start[]): readonly SpawnedApp[] {
  return starts.flatMap((started) => ('app' in started ? [started.app] : []));
}

export function rejectionsOf(starts: readonly Start[]): readonly string[] {
  return starts.flatMap((started) => ('rejection' in started ? [started.rejection] : []));
}
