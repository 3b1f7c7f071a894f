import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PATIENT_MS } from '../time/patience.ts';
import { outputLine } from './output-line.ts';
import { startProcessGroup } from './process-group.ts';

export interface SpawnAppOptions {
  /** The environment of the app, besides PATH and HOME. Default: a free `PORT`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A starter app in a separate process, started like by a user. */
export interface SpawnedApp {
  /** The URL that the app printed, without a slash at the end. */
  readonly url: string;
  readonly processId: number;
  /** Everything that the app has written so far, to both streams. */
  output(): string;
  /** SIGKILL: the app can neither flush anything nor close a connection. */
  kill9(): Promise<void>;
  readonly hasExited: () => boolean;
  /**
   * SIGTERM, like a deployment.
   *
   * @throws {Error} with the app's output if it does not exit with 0 within a minute.
   */
  stop(): Promise<void>;
}

/** The program ended, or printed no address within a minute. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  /** How the program ended, and everything that it has written. */
  readonly report: string;

  constructor(main: string, report: string) {
    super(`${main} did not start: ${report}`);
    this.report = report;
  }
}

/** Starts a starter: {@link spawnProgram}. */
export function spawnApp(name: string, options: SpawnAppOptions = {}): Promise<SpawnedApp> {
  const main = fileURLToPath(new URL(`../../../examples/${name}/dist/main.js`, import.meta.url));
  return spawnProgram(main, options);
}

/**
 * Starts a program such as `examples/<name>/dist/main.js` and waits for its `listening on http://...`.
 *
 * @throws {Error} if the app is not built.
 * @throws {StartFailure} if it does not listen within a minute.
 */
export async function spawnProgram(main: string, options: SpawnAppOptions): Promise<SpawnedApp> {
  if (!existsSync(main)) throw new Error(`${main} is not built: run pnpm build.`);

  const { PATH, HOME } = process.env;
  const { env = {} } = options;
  const group = await startProcessGroup(process.execPath, [main], {
    env: { PATH, HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [group.child.stdout, group.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }

  async function stop(): Promise<void> {
    group.signal('SIGTERM');
    const timer = setTimeout(() => group.signal('SIGKILL'), PATIENT_MS);
    await group.exited();
    clearTimeout(timer);
    await group.kill9();
    const { exitCode, signalCode } = group.child;
    if (exitCode !== 0) {
      throw new Error(`${main} ended with ${exitCode ?? signalCode} on SIGTERM\n${output}`);
    }
  }

  try {
    const [, url = ''] = await outputLine(group.child, /listening on (http:\/\/\S+?)\/?\s/);
    const { pid: processId = 0 } = group.child;
    return {
      url,
      processId,
      output: () => output,
      hasExited: group.hasExited,
      kill9: () => group.kill9(),
      stop,
    };
  } catch (error) {
    await group.kill9();
    throw error instanceof Error ? new StartFailure(main, error.message) : error;
  }
}
