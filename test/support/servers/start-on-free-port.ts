import { rm } from 'node:fs/promises';
import type { ProcessGroup } from '../apps/process-group.ts';
import { freePort } from './free-port.ts';

const PORT_ATTEMPTS = 5;

/**
 * Tries several ports, because another process may take a free port first.
 *
 * @param folder - the folder of the server; removed if the server does not start.
 */
export async function startOnFreePort(
  startAt: (port: number) => Promise<ProcessGroup>,
  folder: string,
): Promise<{ port: number; running: ProcessGroup }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { port, running: await startAt(port) };
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (isTaken && attempt < PORT_ATTEMPTS) continue;
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }
}
