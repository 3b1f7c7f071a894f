import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pinned } from './pinning.mjs';

const running = new Set();

// A harness that is interrupted must not leave servers behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/**
 * Starts a command on the CPU of its side (`server` or `client`). `taskset` execs, so the pid is the command's own.
 *
 * @param account `{uid, gid}` to run as; the default is the account of this process
 */
export function startPinned(side, command, environment = {}, account = {}) {
  const [file, ...args] = pinned(side, command);
  const child = spawn(file, args, {
    ...account,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends a process that {@link startPinned} started; kills it after 3 s. */
export function stop(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const impatience = setTimeout(() => child.kill('SIGKILL'), 3000);
    child.once('exit', () => {
      clearTimeout(impatience);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

const TICKS_PER_SECOND = 100;

/** User plus system time of a process so far; `NaN` without /proc. */
export function cpuSeconds({ pid }) {
  try {
    const fields = statOf(pid);
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** User plus system time of the children of a process, including ended children; `NaN` without /proc. */
export function cpuSecondsOfChildren({ pid }) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const pids = children === '' ? [] : children.split(' ');
    const ended = statOf(pid).slice(13, 15);
    const endedSeconds = ended.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
    return pids.reduce((sum, child) => sum + cpuSeconds({ pid: child }), endedSeconds);
  } catch {
    return Number.NaN;
  }
}

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Resident memory of a process; `NaN` without /proc. */
export function residentMiB({ pid }) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
