import { describe, expect, it } from 'vitest';
import { PendingFailures } from './pending-failures.ts';

describe('failures that the store has not counted yet', () => {
  it('are expected one after the other, each subject by itself', () => {
    const failures = new PendingFailures();
    expect([failures.begin('ada', 0), failures.begin('ada', 0), failures.begin('alan', 3)]).toEqual(
      [1, 2, 4],
    );
  });

  it('go on from what the store counted last, for as long as one is pending', () => {
    const failures = new PendingFailures();
    failures.begin('ada', 0);
    failures.begin('ada', 0);
    failures.recount('ada', 8);
    failures.end('ada');
    expect(failures.begin('ada', 0)).toBe(10);
    failures.end('ada');
    failures.end('ada');
    expect(failures.begin('ada', 0)).toBe(1);
  });

  it('are not fewer because an earlier answer arrives later', () => {
    const failures = new PendingFailures();
    failures.begin('ada', 0);
    failures.begin('ada', 0);
    failures.recount('ada', 8);
    failures.end('ada');
    failures.recount('ada', 7);
    expect(failures.begin('ada', 0)).toBe(10);
  });
});
