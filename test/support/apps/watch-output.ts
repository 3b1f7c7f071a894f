import { inspect } from 'node:util';
import { onTestFinished, vi } from 'vitest';

/** Collects everything that is written to the console while the test runs. */
export function watchOutput(): () => string {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1'));
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    const spy = vi.spyOn(console, name).mockImplementation((...printed) => {
      written.push(inspect(printed, { depth: Number.POSITIVE_INFINITY }));
    });
    onTestFinished(() => spy.mockRestore());
  }
  const onWarning = (warning: Error): void => void written.push(inspect(warning));
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return () => written.join('\n');
}

/** Prints a value with all properties, even hidden ones, because errors of drivers may carry commands. */
export function inspectDeep(value: unknown): string {
  return inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    maxArrayLength: null,
    maxStringLength: null,
    showHidden: true,
  });
}
