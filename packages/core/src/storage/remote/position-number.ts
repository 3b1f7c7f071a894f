import type { LinePosition } from '../line-position.ts';

/** A position as the one number that a remote store is sent: those of retries are negative. */
export function positionToNumber({ line, sequence }: LinePosition): number {
  return line === 'retries' ? -sequence : sequence;
}

/** The position that a remote store has answered as {@link positionToNumber} writes it. */
export function positionFromNumber(number: number): LinePosition {
  return number < 0
    ? { line: 'retries', sequence: -number }
    : { line: 'first_tries', sequence: number };
}
