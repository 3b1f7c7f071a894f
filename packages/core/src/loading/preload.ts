import { setImmediate } from 'node:timers';
import type { LazyModule } from './lazy-module.ts';

/**
 * Loads modules in the background, one in each turn of the event loop, so that a request waits for at most one module.
 * Does not keep the process alive. Never rejects: a module that fails is loaded again at its first use, which reports
 * the error.
 */
export async function preload(modules: readonly LazyModule<unknown>[]): Promise<void> {
  for (const module of modules) {
    await nextTurn();
    await module.load().catch(() => {});
  }
}

/**
 * Loads modules now.
 *
 * @throws the error of the module that failed; an `AggregateError` of all errors if several modules failed
 */
export async function loadAll(modules: readonly LazyModule<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(modules.map((module) => module.load()));
  const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  throw new AggregateError(errors, errors.map(String).join('; '));
}

/** Waits for the next turn of the event loop, without keeping the process alive. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve).unref());
}
