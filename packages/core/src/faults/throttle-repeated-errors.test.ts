import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { throttleRepeatedErrors } from './throttle-repeated-errors.ts';

function reporter() {
  let nowMs = 1_700_000_000_000;
  let steadyMs = 0;
  const events: SecurityEvent[] = [];
  const clock = { nowMs: () => nowMs, monotonicMs: () => steadyMs };
  const emit = throttleRepeatedErrors((event) => void events.push(event), clock);
  return {
    emit,
    report: (error: unknown) => emit({ type: 'fault', where: 'delivery', error }),
    events,
    turnTo: (ms: number) => (steadyMs = ms),
    setBack: (ms: number) => (nowMs -= ms),
  };
}

const rejected = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED' });

/** Another message for each number, without a number in it. */
const letters = (nth: number): string => 'x'.repeat(nth);

describe('faults of background work', () => {
  it('are reported once a minute if they differ only in numbers', () => {
    const { report, events, turnTo } = reporter();
    report(rejected(1));
    turnTo(59_999);
    report(rejected(2));
    expect(events).toHaveLength(1);
    turnTo(60_000);
    report(rejected(3));
    expect(events).toHaveLength(2);
  });

  it('are reported again after a minute even if the time of day is set back', () => {
    const { report, events, turnTo, setBack } = reporter();
    report(rejected(1));
    setBack(3_600_000);
    turnTo(60_000);
    report(rejected(2));
    expect(events).toHaveLength(2);
  });

  it('are reported once if they differ only in the job id', () => {
    const { report, events } = reporter();
    for (const job of ['msg_1-wh_1-1', 'msg_2-wh_1-1']) {
      report(new Error(`could not renew lock for job ${job}`));
      report(new Error(`Missing lock for job ${job}. moveToDelayed`));
    }
    expect(events).toHaveLength(2);
  });

  it('are reported at once if `where` differs', () => {
    const { emit, report, events } = reporter();
    report(rejected(1));
    emit({ type: 'fault', where: 'storage', error: rejected(1) });
    expect(events).toMatchObject([{ where: 'delivery' }, { where: 'storage' }]);
  });

  it('are throttled, and events of other types are not', () => {
    const { emit, events } = reporter();
    const gone = { type: 'webhook.disabled', accountId: 1, webhookId: 'wh_a', reason: 'gone' };
    for (let time = 0; time < 2; time += 1) emit(gone as SecurityEvent);
    expect(events).toHaveLength(2);
  });

  it('are reported at once if the message differs', () => {
    const { report, events } = reporter();
    report(rejected(1));
    report(new Error('OOM command not allowed'));
    report('not even an error');
    expect(events).toHaveLength(3);
    expect(events[0]).toMatchObject({ type: 'fault', where: 'delivery' });
  });

  it('are remembered up to a hundred; the first is reported again after a hundred others', () => {
    const { report, events } = reporter();
    const tellAll = (count: number) => {
      for (let nth = 0; nth < count; nth += 1) report(new Error(letters(nth)));
    };
    tellAll(100);
    tellAll(100);
    expect(events).toHaveLength(100);
    tellAll(101);
    expect(events).toHaveLength(101);
    report(new Error(letters(0)));
    expect(events).toHaveLength(102);
  });
});
