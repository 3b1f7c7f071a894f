import { expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import type { AccessTokenRejectionReason } from './events/access-token-security-event.ts';
import type { EnrolmentFailureReason } from './events/factor-security-event.ts';
import { createSecurityEvents } from './security-event-emitter.ts';

function setup() {
  let nowMs = Date.UTC(2027, 0, 1);
  let monotonicMs = 5;
  const events = createSecurityEvents({ nowMs: () => nowMs, monotonicMs: () => monotonicMs });
  const heard: unknown[] = [];
  const failed: unknown[] = [];
  const observed: unknown[] = [];
  events.observe((event) => observed.push(event.type));
  events.subscribe((event) => {
    if (event.type === 'access_token.rejected') heard.push([event.reason, event.count]);
    if (event.type === 'enrolment.failed')
      failed.push([event.sessionId, event.reason, event.count]);
  });
  return {
    heard,
    failed,
    observed,
    reject(reason: AccessTokenRejectionReason, times = 1) {
      for (let time = 0; time < times; time += 1) {
        events.emit({ type: 'access_token.rejected', reason, count: 1 });
      }
    },
    fail(sessionId: string, reason: EnrolmentFailureReason, times = 1) {
      const type = 'enrolment.failed';
      for (let time = 0; time < times; time += 1) {
        events.emit({ type, userId: 'ada', sessionId, reason, count: 1, ...UNKNOWN_CLIENT });
      }
    },
    turnBy(ms: number) {
      nowMs += ms;
      monotonicMs += ms;
    },
    setBack(ms: number) {
      nowMs -= ms;
    },
  };
}

it('the first rejected token of each reason is emitted at once', () => {
  const { heard, reject } = setup();
  reject('wrong_issuer', 3);
  reject('expired', 2);
  expect(heard).toEqual([
    ['wrong_issuer', 1],
    ['expired', 1],
  ]);
});

it('further rejected tokens are emitted once a minute, with a count', () => {
  const { heard, reject, turnBy } = setup();
  reject('wrong_issuer', 5_000);
  turnBy(59_999);
  reject('wrong_issuer');
  expect(heard).toHaveLength(1);
  turnBy(1);
  reject('wrong_issuer', 2);
  turnBy(60_000);
  reject('wrong_issuer');
  expect(heard.slice(1)).toEqual([
    ['wrong_issuer', 5_001],
    ['wrong_issuer', 2],
  ]);
});

it('observers get every rejected token', () => {
  const { observed, reject } = setup();
  reject('unknown_key', 100);
  expect(observed).toHaveLength(100);
});

it('failed enrolments of a session are emitted once per reason, then once a minute', () => {
  const { failed, fail, turnBy } = setup();
  fail('s1', 'none_pending', 500);
  fail('s1', 'too_many');
  fail('s2', 'none_pending');
  turnBy(60_000);
  fail('s1', 'none_pending');
  expect(failed).toEqual([
    ['s1', 'none_pending', 1],
    ['s1', 'too_many', 1],
    ['s2', 'none_pending', 1],
    ['s1', 'none_pending', 500],
  ]);
});

it('every wrong code of an enrolment is emitted', () => {
  const { failed, fail } = setup();
  fail('s1', 'wrong_code', 20);
  expect(failed).toHaveLength(20);
});

it('the oldest of more than ten thousand sessions is evicted, so that it is emitted again', () => {
  const { failed, fail } = setup();
  for (let i = 0; i <= 10_000; i += 1) fail(`s${i}`, 'none_pending');
  failed.length = 0;
  fail('s1', 'none_pending');
  fail('s0', 'none_pending');
  expect(failed).toEqual([['s0', 'none_pending', 1]]);
});

it('events are still emitted after the clock is set back', () => {
  const { heard, reject, turnBy, setBack } = setup();
  reject('expired');
  setBack(3_600_000);
  turnBy(60_000);
  reject('expired');
  expect(heard).toHaveLength(2);
});
