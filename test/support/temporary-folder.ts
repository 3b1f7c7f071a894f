import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the test's own, gone after it. What the test starts in it has to be ended by the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
