import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { throttleRepeatedErrors } from './throttle-repeated-errors.ts';

const MINUTE_MS = 60_000;
const MAX_REMEMBERED = 100;

function fixture() {
  let wallMs = 1_700_000_000_000;
  let monotonicMs = 0;
  const events: SecurityEvent[] = [];
  const clock = { nowMs: () => wallMs, monotonicMs: () => monotonicMs };
  const emit = throttleRepeatedErrors((event) => void events.push(event), clock);
  return {
    emit,
    report: (error: unknown) => emit({ type: 'fault', where: 'delivery', error }),
    events,
    setMonotonicMs: (ms: number) => (monotonicMs = ms),
    setWallClockBack: (ms: number) => (wallMs -= ms),
  };
}

const connectionRefused = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED' });

/** An error with a different message for each number, which contains no digit. */
const distinctError = (i: number): Error => new Error('x'.repeat(i));

describe('faults of background work', () => {
  it('are reported once a minute if they differ only in numbers', () => {
    const { report, events, setMonotonicMs } = fixture();
    report(connectionRefused(1));
    setMonotonicMs(MINUTE_MS - 1);
    report(connectionRefused(2));
    expect(events).toHaveLength(1);
    setMonotonicMs(MINUTE_MS);
    report(connectionRefused(3));
    expect(events).toHaveLength(2);
  });

  it('are reported again after a minute even if the wall clock is set back', () => {
    const { report, events, setMonotonicMs, setWallClockBack } = fixture();
    report(connectionRefused(1));
    setWallClockBack(60 * MINUTE_MS);
    setMonotonicMs(MINUTE_MS);
    report(connectionRefused(2));
    expect(events).toHaveLength(2);
  });

  it('are reported once if they differ only in the job id', () => {
    const { report, events } = fixture();
    for (const job of ['msg_1-wh_1-1', 'msg_2-wh_1-1']) {
      report(new Error(`could not renew lock for job ${job}`));
      report(new Error(`Missing lock for job ${job}. moveToDelayed`));
    }
    expect(events).toHaveLength(2);
  });

  it('are all reported if `where` differs', () => {
    const { emit, report, events } = fixture();
    report(connectionRefused(1));
    emit({ type: 'fault', where: 'storage', error: connectionRefused(1) });
    expect(events).toMatchObject([{ where: 'delivery' }, { where: 'storage' }]);
  });

  it('are all reported if their messages differ', () => {
    const { report, events } = fixture();
    report(connectionRefused(1));
    report(new Error('OOM command not allowed'));
    report('not even an error');
    expect(events).toHaveLength(3);
    expect(events[0]).toMatchObject({ type: 'fault', where: 'delivery' });
  });

  it('are reported once each if a hundred different faults repeat', () => {
    const { report, events } = fixture();
    for (let i = 0; i < 2 * MAX_REMEMBERED; i += 1) report(distinctError(i % MAX_REMEMBERED));
    expect(events).toHaveLength(MAX_REMEMBERED);
  });

  it('are reported again within the minute after a hundred other faults', () => {
    const { report, events } = fixture();
    for (let i = 0; i <= MAX_REMEMBERED; i += 1) report(distinctError(i));
    expect(events).toHaveLength(MAX_REMEMBERED + 1);
    report(distinctError(0));
    expect(events).toHaveLength(MAX_REMEMBERED + 2);
  });
});

it('an event that is not a fault is never throttled', () => {
  const { emit, events } = fixture();
  const event = { type: 'webhook.disabled', accountId: 1, webhookId: 'wh_a', reason: 'gone' };
  for (let i = 0; i < 2; i += 1) emit(event as SecurityEvent);
  expect(events).toHaveLength(2);
});
