import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a folder that is removed after the test, which must end whatever it starts in it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
