import { spawn } from 'node:child_process';

/** Watches over one process of a test: it does not outlive the test run, however that ends. */
export interface Reaper {
  /** Call it off: the process has ended and its folder is taken care of. */
  dismiss(): void;
}

/**
 * Kills `pid` and removes `folder` when this process is gone.
 *
 * An exit handler would not do: it does not run on SIGKILL, nor when vitest ends a worker. A pipe does: the
 * kernel closes it in every case, and the shell at its other end reads the end of file. It is in a process
 * group of its own, so that Ctrl-C does not end it first.
 */
export function startReaper(pid: number, folder: string): Reaper {
  const script = 'cat >/dev/null; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
  const shell = spawn('sh', ['-c', script, 'reaper', String(pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  return {
    dismiss: () => {
      // The whole group: the shell alone would leave its `cat` behind until the pipe closes.
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
    },
  };
}
