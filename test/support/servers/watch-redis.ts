import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';

/** A command that Redis received. */
export interface SeenCommand {
  readonly isOfScript: boolean;
  /** Its name and its arguments. */
  readonly words: readonly string[];
}

/**
 * Records the commands that a Redis receives from now on, until the end of the test. Resolves to a function that
 * returns all commands so far, in order.
 *
 * It parses MONITOR's lines itself, because ioredis fails if a line comes together with the reply to MONITOR.
 */
export async function watchRedis(url: string): Promise<() => Promise<readonly SeenCommand[]>> {
  const [monitor, redis] = [new Redis(url), new Redis(url)];
  onTestFinished(() => {
    monitor.disconnect();
    redis.disconnect();
  });
  await monitor.ping();
  const { stream } = monitor;
  stream.removeAllListeners('data');
  const commands: SeenCommand[] = [];
  const isSeen = (word: string) => commands.some(({ words }) => words.includes(word));
  const watching = new Promise<void>((resolve) => {
    createInterface({ input: stream }).on('line', (line) => {
      if (line === '+OK') resolve();
      else commands.push(commandIn(line));
    });
  });
  stream.write('MONITOR\r\n');
  await watching;

  // MONITOR reports commands in order: once it has reported this command, it has reported all earlier ones.
  async function untilSeen(): Promise<void> {
    const marker = randomUUID();
    await redis.echo(marker);
    await expect.poll(() => isSeen(marker)).toBe(true);
  }
  return async () => {
    await untilSeen();
    return commands;
  };
}

/** Parses a line such as `+1700000000.123456 [0 127.0.0.1:50000] "GET" "key"`. */
function commandIn(line: string): SeenCommand {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => unescaped(word));
  return { isOfScript: /^\S+ \[\d+ lua\]/.test(line), words };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

function unescaped(word: string): string {
  const bytes = word.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string | undefined, char) =>
    hex === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
