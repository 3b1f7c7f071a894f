import { vi } from 'vitest';

/** The codes of the warnings that `start` causes. */
export function warningsOf(start: () => unknown): unknown[] {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  try {
    start();
    return emit.mock.calls.map(([, details]) => (details as { code?: unknown }).code);
  } finally {
    emit.mockRestore();
  }
}
