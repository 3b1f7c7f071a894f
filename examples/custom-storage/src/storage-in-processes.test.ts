import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import {
  certifyLimiters,
  certifyStorage,
  type StorageHarness,
  type TestRunner,
} from '@latchhook/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { RemoteAnswer, RemoteCall } from './storage-process.ts';

// Calls of a driver that awaits nothing never overlap within one process: only several processes can race.
const PROCESSES = 4;
const main = fileURLToPath(new URL('../dist/storage-process.js', import.meta.url));

/** A process that makes the calls that it is sent. */
class RemoteProcess {
  // Without the conditions by which these tests find sources: the process runs what was built.
  readonly #child: ChildProcess = fork(main, { execArgv: [] });
  readonly #waiting = new Map<number, (answer: RemoteAnswer) => void>();
  #calls = 0;

  constructor() {
    this.#child.on('message', (answer: RemoteAnswer) => this.#waiting.get(answer.callId)?.(answer));
    this.#child.on('exit', () => {
      for (const [callId, resolve] of this.#waiting)
        resolve({ callId, error: 'the process ended' });
    });
  }

  storage(file: string, clock: Clock): Storage {
    const storeOf = <Store extends object>(store: RemoteCall['store']) =>
      new Proxy({} as Store, {
        get:
          (_, method) =>
          (...args: unknown[]) =>
            this.#call({ file, nowMs: clock.nowMs(), store, method: String(method), args }),
      });
    return {
      name: 'sqlite in another process',
      sessions: storeOf('sessions'),
      challenges: storeOf('challenges'),
      limiters: (options) => storeOf(options),
    };
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }

  async #call(call: Omit<RemoteCall, 'callId'>): Promise<unknown> {
    this.#calls += 1;
    const callId = this.#calls;
    const { value, error } = await new Promise<RemoteAnswer>((resolve) => {
      this.#waiting.set(callId, resolve);
      this.#child.send({ callId, ...call } satisfies RemoteCall);
    });
    this.#waiting.delete(callId);
    if (error !== undefined) throw new Error(error);
    return value;
  }
}

describe('over several processes', () => {
  const processes: RemoteProcess[] = [];
  beforeAll(() => {
    if (!existsSync(main)) throw new Error(`${main} is not built: run pnpm build.`);
    while (processes.length < PROCESSES) processes.push(new RemoteProcess());
  });
  afterAll(() => Promise.all(processes.map((process) => process.end())));

  const harness: StorageHarness = {
    open: async ({ clock }) => {
      const folder = await mkdtemp(join(tmpdir(), 'latchhook-'));
      let connected = 0;
      return {
        connect: async () => {
          const process = processes[connected % PROCESSES];
          if (process === undefined) throw new Error('no process is running');
          connected += 1;
          return process.storage(join(folder, 'auth.db'), clock);
        },
        close: () => rm(folder, { recursive: true }),
      };
    },
  };

  const runner: TestRunner = {
    it,
    // Claims without races are certified in the other suite, in a tenth of the time.
    describe: (name, body) => /races|sent again|limiters/.test(name) && describe(name, body),
  };
  certifyStorage(runner, harness);
  certifyLimiters(runner, harness);
});
