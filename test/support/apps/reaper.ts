import { spawn } from 'node:child_process';

/** Ends a process group with the test run, however the run ends. */
export interface Reaper {
  /** Ends the reaper; to be called once the group has ended and its folder is removed. */
  dismiss(): void;
}

/**
 * Kills the process group and removes the folder, if any, when this process is gone.
 *
 * An exit handler would not do: it runs neither on SIGKILL nor when vitest ends a worker. A pipe does: the kernel
 * closes it in every case, and the shell at its other end reads the end of file. The shell has its own group, so that
 * Ctrl-C does not end it first.
 */
export function startReaper(processGroup: number, folder?: string): Reaper {
  const script = 'cat >/dev/null; kill -s KILL -- "-$1" 2>/dev/null; [ -z "$2" ] || rm -rf "$2"';
  const shell = spawn('sh', ['-c', script, 'reaper', String(processGroup), folder ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  return {
    dismiss: () => {
      // The whole group: killing only the shell would leave its `cat` behind until the pipe closes.
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
    },
  };
}
