import { setImmediate } from 'node:timers';
import type { LazyModule } from './lazy-module.ts';

/**
 * Loads modules in the background, one in each turn of the event loop, so that a request waits for one at most. Does
 * not keep the process alive, and never rejects: a module that fails is tried again at its first use, which reports it.
 */
export async function preload(modules: readonly LazyModule<unknown>[]): Promise<void> {
  for (const module of modules) {
    await turn();
    await module.load().catch(() => {});
  }
}

/**
 * Loads modules now.
 *
 * @throws the error of the module that failed; an `AggregateError` of all errors, if several did
 */
export async function loadAll(modules: readonly LazyModule<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(modules.map((module) => module.load()));
  const failed = settled.filter((one) => one.status === 'rejected');
  if (failed.length === 0) return;
  const errors = failed.map(({ reason }) => reason);
  if (errors.length === 1) throw errors[0];
  throw new AggregateError(errors, errors.map(String).join('; '));
}

/** The next turn of the event loop; does not keep a process alive that has nothing else to do. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve).unref());
}
