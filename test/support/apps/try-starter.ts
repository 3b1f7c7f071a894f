import type { SpawnedApp } from './spawn-app.ts';
import { type Settings, startWithSharedIssuer } from './start-app.ts';

/** The result of a start: an app, or its output if it has exited. */
type Start = { readonly app: SpawnedApp } | { readonly rejection: string };

/** Starts a starter that may exit with an error. */
export async function tryStart(settings: Settings): Promise<Start> {
  try {
    return { app: (await startWithSharedIssuer('express-starter', settings)).app };
  } catch (error) {
    if (!(error instanceof Error) || !(error.cause instanceof Error)) throw error;
    return { rejection: error.cause.message };
  }
}

export function appsOf(starts: readonly Start[]): readonly SpawnedApp[] {
  return starts.flatMap((started) => ('app' in started ? [started.app] : []));
}

export function rejectionsOf(starts: readonly Start[]): readonly string[] {
  return starts.flatMap((started) => ('rejection' in started ? [started.rejection] : []));
}
