import { describe, expect, it } from 'vitest';
import { PendingFailures } from './pending-failures.ts';

const START_MS = 1_000;
/** The admission of a login before the first count. */
const BEFORE_MS = START_MS - 100;

function fixture() {
  const time = { nowMs: START_MS };
  const failures = new PendingFailures(() => time.nowMs);
  /** Begins a failure of a login at whose admission the store had counted `counted` failures. */
  const begin = (subject: string, counted: number, admittedAtMs = time.nowMs) =>
    failures.begin(subject, { failures: counted, admittedAtMs });
  return { time, failures, begin };
}

describe('the expected count of failures', () => {
  it('increases with each pending failure, separately for each subject', () => {
    const { begin } = fixture();
    expect([begin('ada', 0), begin('ada', 0), begin('alan', 3)]).toEqual([1, 2, 4]);
  });

  it('continues from the last count of the store while a failure is pending', () => {
    const { failures, begin } = fixture();
    begin('ada', 0);
    begin('ada', 0);
    failures.recount('ada', 8);
    failures.end('ada');
    expect(begin('ada', 0)).toBe(10);
  });

  it('continues from the last count of the store if a login was admitted before that count', () => {
    const { time, failures, begin } = fixture();
    begin('ada', 0);
    failures.recount('ada', 9);
    failures.end('ada');
    time.nowMs += 100;
    expect(begin('ada', 0, BEFORE_MS)).toBe(10);
  });

  it('is restarted by a login that was admitted after the last count', () => {
    const { time, failures, begin } = fixture();
    begin('ada', 0);
    failures.recount('ada', 9);
    failures.end('ada');
    time.nowMs += 1;
    expect(begin('ada', 0)).toBe(1);
  });

  it('is dropped ten seconds after the last count', () => {
    const { time, failures, begin } = fixture();
    begin('ada', 0);
    failures.recount('ada', 9);
    failures.end('ada');
    time.nowMs += 10_000;
    expect(begin('ada', 0, BEFORE_MS)).toBe(1);
  });

  it('does not decrease if an earlier reply arrives late', () => {
    const { failures, begin } = fixture();
    begin('ada', 0);
    begin('ada', 0);
    failures.recount('ada', 8);
    failures.end('ada');
    failures.recount('ada', 7);
    expect(begin('ada', 0)).toBe(10);
  });

  it('does not increase if a later reply arrives early', () => {
    const { failures, begin } = fixture();
    for (let i = 1; i <= 6; i += 1) begin('ada', 0);
    failures.recount('ada', 6);
    failures.end('ada');
    expect(begin('ada', 0)).toBe(7);
  });

  it('continues from the higher count that a later login has read', () => {
    const { begin } = fixture();
    begin('ada', 0);
    expect(begin('ada', 8)).toBe(9);
  });
});
