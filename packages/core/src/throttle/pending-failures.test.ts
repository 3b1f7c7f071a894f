import { describe, expect, it } from 'vitest';
import { PendingFailures } from './pending-failures.ts';

function fixture() {
  const time = { nowMs: 1_000 };
  const failures = new PendingFailures(() => time.nowMs);
  /** Of a login that was admitted at a time, when the store had counted so many failures. */
  const begin = (subject: string, counted: number, admittedAtMs = time.nowMs) =>
    failures.begin(subject, { failures: counted, admittedAtMs });
  return { time, failures, begin };
}

describe('failures that the store has not counted yet', () => {
  it('are expected one after the other, each subject by itself', () => {
    const { begin } = fixture();
    expect([begin('ada', 0), begin('ada', 0), begin('alan', 3)]).toEqual([1, 2, 4]);
  });

  it('go on from what the store counted last, while one is pending', () => {
    const { failures, begin } = fixture();
    begin('ada', 0);
    begin('ada', 0);
    failures.recount('ada', 8);
    failures.end('ada');
    expect(begin('ada', 0)).toBe(10);
  });

  it('go on from it for logins that were admitted before, though none is pending', () => {
    const { time, failures, begin } = fixture();
    begin('ada', 0);
    failures.recount('ada', 9);
    failures.end('ada');
    time.nowMs += 100;
    expect(begin('ada', 0, 900)).toBe(10);
  });

  it('go by what the store said to a login that was admitted since', () => {
    const { time, failures, begin } = fixture();
    begin('ada', 0);
    failures.recount('ada', 9);
    failures.end('ada');
    time.nowMs += 1;
    expect(begin('ada', 0)).toBe(1);
  });

  it('are forgotten ten seconds after the last count', () => {
    const { time, failures, begin } = fixture();
    begin('ada', 0);
    failures.recount('ada', 9);
    failures.end('ada');
    time.nowMs += 10_000;
    expect(begin('ada', 0, 900)).toBe(1);
  });

  it('are not fewer because an earlier answer arrives later', () => {
    const { failures, begin } = fixture();
    begin('ada', 0);
    begin('ada', 0);
    failures.recount('ada', 8);
    failures.end('ada');
    failures.recount('ada', 7);
    expect(begin('ada', 0)).toBe(10);
  });

  it('are not more because a later answer arrives earlier', () => {
    const { failures, begin } = fixture();
    for (let nth = 1; nth <= 6; nth += 1) begin('ada', 0);
    failures.recount('ada', 6);
    failures.end('ada');
    expect(begin('ada', 0)).toBe(7);
  });

  it('go on from what the store said to a login that was admitted later', () => {
    const { begin } = fixture();
    begin('ada', 0);
    expect(begin('ada', 8)).toBe(9);
  });
});
