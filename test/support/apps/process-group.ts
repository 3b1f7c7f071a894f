import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Reaper, startReaper } from './reaper.ts';

export interface ProcessGroupOptions extends Omit<SpawnOptions, 'detached'> {
  /** Removed with the processes if they outlive the test run. */
  readonly temporaryFolder?: string;
}

/** A program in a new process group: signals reach its children too, and Ctrl-C does not reach the group. */
export interface ProcessGroup {
  readonly child: ChildProcess;
  readonly hasExited: () => boolean;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the program has exited, immediately if it already has. */
  exited(): Promise<void>;
  /** Sends SIGKILL to every process of the group, and dismisses its reaper. */
  kill9(): Promise<void>;
}

/** @throws {Error} when the program cannot be started at all. */
export async function startProcessGroup(
  command: string,
  args: readonly string[],
  { temporaryFolder, ...options }: ProcessGroupOptions,
): Promise<ProcessGroup> {
  const child = spawn(command, args, { ...options, detached: true });
  await once(child, 'spawn');
  const group = child.pid;
  if (group === undefined) throw new Error(`${command} has no process id`);
  const reaper: Reaper = startReaper(group, temporaryFolder);

  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const exited = async () => {
    if (!hasExited()) await once(child, 'exit');
  };
  let dismissed = false;
  return {
    child,
    hasExited,
    exited,
    signal: (name) => {
      // After the exit, the id may belong to another process.
      if (!hasExited()) process.kill(-group, name);
    },
    kill9: async () => {
      if (!hasExited()) process.kill(-group, 'SIGKILL');
      await exited();
      if (dismissed) return;
      dismissed = true;
      reaper.dismiss();
    },
  };
}
