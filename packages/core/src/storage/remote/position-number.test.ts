import { describe, expect, it } from 'vitest';
import { positionFromNumber, positionToNumber } from './position-number.ts';

describe('the number of a position', () => {
  it.each([
    [-7, { line: 'retries', sequence: 7 }],
    [7, { line: 'first_tries', sequence: 7 }],
  ] as const)('%d is %o', (number, position) => {
    expect(positionToNumber(position)).toBe(number);
    expect(positionFromNumber(number)).toEqual(position);
  });
});
