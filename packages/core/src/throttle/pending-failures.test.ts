import { describe, expect, it } from 'vitest';
import { PendingFailures } from './pending-failures.ts';

describe('failures that the store has not counted yet', () => {
  it('are expected one after the other, each subject by itself', () => {
    const failures = new PendingFailures();
    expect([failures.begin('ada'), failures.begin('ada'), failures.begin('alan')]).toEqual([
      1, 2, 1,
    ]);
  });

  it('go on from what the store counted last, for as long as one is pending', () => {
    const failures = new PendingFailures();
    failures.begin('ada');
    failures.begin('ada');
    failures.recount('ada', 8);
    failures.end('ada');
    expect(failures.begin('ada')).toBe(10);
    failures.end('ada');
    failures.end('ada');
    expect(failures.begin('ada')).toBe(1);
  });
});
