import type { ChildProcess } from 'node:child_process';
import { PATIENT_MS } from '../time/patience.ts';

/**
 * Waits until the output of a program matches. It reads the output to its end: a full pipe would stop the program.
 *
 * @throws {Error} with the output so far if the program exits first, or prints no match within a minute.
 */
export function outputLine(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return new Promise((resolve, reject) => {
    let output = '';
    const settle = () => {
      clearTimeout(timer);
      child.off('close', closed);
      for (const stream of streams) stream.off('data', read).resume();
    };
    const fail = (why: string) => {
      settle();
      reject(new Error(`${child.spawnfile} ${why}\n${output}`));
    };
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const match = pattern.exec(output);
      if (match === null) return;
      settle();
      resolve(match);
    };
    const closed = (code: number | null, signal: string | null) =>
      fail(`ended with ${code ?? signal} before it printed ${pattern}`);
    const timer = setTimeout(
      () => fail(`did not print ${pattern} in ${PATIENT_MS} ms`),
      PATIENT_MS,
    );
    for (const stream of streams) stream.on('data', read);
    child.once('close', closed);
  });
}
