import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@latchhook/core';
import { systemTimers, type Timers } from '@latchhook/core/delivery';
import { assertNames, type NamesOf } from '@latchhook/core/storage';
import { HeldRequests } from './held-requests.ts';
import { type ReceivedRequest, ReceivedRequests } from './received-requests.ts';
import {
  assertScript,
  nthAnswer,
  type ReceiverAnswer,
  type ReceiverScript,
} from './receiver-answer.ts';
import { writeAnswer } from './write-answer.ts';

/** What a fake receiver answers. */
export interface FakeReceiverOptions {
  /** Answers on every path that `paths` does not name. Default: 204. */
  readonly answers?: ReceiverScript;
  /** Answers by path; each path counts its own series. */
  readonly paths?: Readonly<Record<string, ReceiverScript>>;
  /** The clock for times of arrival. Default: the system's. */
  readonly clock?: Clock;
  /** The timers for slow answers. Default: Node's. */
  readonly timers?: Timers;
}

const NAMES: NamesOf<FakeReceiverOptions> = {
  answers: true,
  paths: true,
  clock: true,
  timers: true,
};

/** A real HTTP server on loopback that answers by a script and records the requests. */
export interface FakeReceiver {
  /** The URL of the root, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Replaces the script of one path, or of all paths without a script of their own. */
  answer(script: ReceiverScript, path?: string): void;
  /** Requests that have arrived so far, in order: on one path, or on all. */
  received(path?: string): readonly ReceivedRequest[];
  /**
   * Resolves with all requests that have arrived, once there are `count` or more.
   *
   * @throws {Error} if the receiver is closed first
   */
  waitFor(count: number, path?: string): Promise<readonly ReceivedRequest[]>;
  /** How many requests wait for a timer or hang, so that only time or the sender can end them. */
  held(): number;
  /** Closes all connections, even during a request. Can be called twice. */
  close(): Promise<void>;
}

/** A script, and how many of the answers in it were sent. */
interface ScriptProgress {
  readonly script: ReceiverScript;
  answered: number;
}

/**
 * Starts a receiver on a free port of 127.0.0.1.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, also for each answer
 *
 * @example A receiver that is overloaded, then resets a connection, then accepts requests
 * ```ts
 * import { startFakeReceiver } from '@latchhook/testkit';
 *
 * const overloaded = { status: 503, headers: { 'retry-after': '120' } };
 * const receiver = await startFakeReceiver({ answers: [overloaded, 'reset', 200] });
 * ```
 */
export async function startFakeReceiver(options: FakeReceiverOptions = {}): Promise<FakeReceiver> {
  assertNames('startFakeReceiver', 'options_invalid', options, NAMES);
  const { answers = 204, paths = {}, clock = systemClock, timers = systemTimers } = options;
  const requests = new ReceivedRequests();
  const held = new HeldRequests(timers);
  const scriptsByPath = new Map(
    Object.entries(paths).map(([path, script]) => [path, startScript(script)] as const),
  );
  let defaultScript = startScript(answers);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = await bodyOf(request);
    if (body === null) return;
    const answer = nextAnswer(scriptsByPath.get(path) ?? defaultScript);
    requests.add({
      method: request.method ?? '',
      path,
      headers: request.headers,
      body,
      atMs: clock.nowMs(),
      remotePort: request.socket.remotePort ?? 0,
    });
    await writeAnswer(response, answer, held);
  }

  const server = createServer((request, response) => {
    // A sender may disconnect: the test decides whether that is an error.
    response.on('error', () => {});
    serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    answer(script, path) {
      if (path === undefined) defaultScript = startScript(script);
      else scriptsByPath.set(path, startScript(script));
    },
    received: (path) => requests.of(path),
    waitFor: (count, path) => requests.waitFor(count, path),
    held: () => held.count,
    async close() {
      requests.rejectWaiters();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function startScript(script: ReceiverScript): ScriptProgress {
  assertScript(script);
  return { script, answered: 0 };
}

function nextAnswer(progress: ScriptProgress): ReceiverAnswer {
  const answer = nthAnswer(progress.script, progress.answered);
  progress.answered += 1;
  return answer;
}

/** Resolves with `null` if the sender disconnects before the end. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}
