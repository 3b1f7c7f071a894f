import { describe, expect, it } from 'vitest';
import { FailureRuns } from './failure-runs.ts';

describe('failures that the store has not counted yet', () => {
  it('are expected one after the other, each subject by itself', () => {
    const runs = new FailureRuns();
    expect([runs.begin('ada'), runs.begin('ada'), runs.begin('alan')]).toEqual([1, 2, 1]);
  });

  it('go on from what the store counted last, for as long as one is under way', () => {
    const runs = new FailureRuns();
    runs.begin('ada');
    runs.begin('ada');
    runs.recount('ada', 8);
    runs.end('ada');
    expect(runs.begin('ada')).toBe(10);
    runs.end('ada');
    runs.end('ada');
    expect(runs.begin('ada')).toBe(1);
  });
});
