import { expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import type { AccessTokenRejectionReason } from './events/access-token-security-event.ts';
import type { EnrolmentFailureReason } from './events/factor-security-event.ts';
import { createSecurityEvents } from './security-event-emitter.ts';

/** The interval at which further rejections of one kind are passed on. */
const MINUTE_MS = 60_000;
/** The most kinds of rejections that are remembered. */
const MAX_KINDS = 10_000;

function setup() {
  let nowMs = Date.UTC(2027, 0, 1);
  let monotonicMs = 5;
  const events = createSecurityEvents({ nowMs: () => nowMs, monotonicMs: () => monotonicMs });
  const rejections: unknown[] = [];
  const failedEnrolments: unknown[] = [];
  const observedTypes: unknown[] = [];
  events.observe((event) => observedTypes.push(event.type));
  events.subscribe((event) => {
    if (event.type === 'access_token.rejected') rejections.push([event.reason, event.count]);
    if (event.type === 'enrolment.failed')
      failedEnrolments.push([event.sessionId, event.reason, event.count]);
  });
  return {
    rejections,
    failedEnrolments,
    observedTypes,
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
    advanceClock(ms: number) {
      nowMs += ms;
      monotonicMs += ms;
    },
    setClockBack(ms: number) {
      nowMs -= ms;
    },
  };
}

it('subscribers get the first rejection of a token for each reason immediately', () => {
  const { rejections, reject } = setup();
  reject('wrong_issuer', 3);
  reject('expired', 2);
  expect(rejections).toEqual([
    ['wrong_issuer', 1],
    ['expired', 1],
  ]);
});

it('subscribers get further rejections of tokens once a minute, with a count', () => {
  const { rejections, reject, advanceClock } = setup();
  reject('wrong_issuer', 5_000);
  advanceClock(MINUTE_MS - 1);
  reject('wrong_issuer');
  expect(rejections).toHaveLength(1);
  advanceClock(1);
  reject('wrong_issuer', 2);
  advanceClock(MINUTE_MS);
  reject('wrong_issuer');
  expect(rejections.slice(1)).toEqual([
    ['wrong_issuer', 5_001],
    ['wrong_issuer', 2],
  ]);
});

it('observers get every rejection of a token', () => {
  const { observedTypes, reject } = setup();
  reject('unknown_key', 100);
  expect(observedTypes).toHaveLength(100);
});

it('subscribers get failed enrolments of a session once per reason, then once a minute', () => {
  const { failedEnrolments, fail, advanceClock } = setup();
  fail('s1', 'none_pending', 500);
  fail('s1', 'too_many');
  fail('s2', 'none_pending');
  advanceClock(MINUTE_MS);
  fail('s1', 'none_pending');
  expect(failedEnrolments).toEqual([
    ['s1', 'none_pending', 1],
    ['s1', 'too_many', 1],
    ['s2', 'none_pending', 1],
    ['s1', 'none_pending', 500],
  ]);
});

it('subscribers get an event for every wrong code of an enrolment', () => {
  const { failedEnrolments, fail } = setup();
  fail('s1', 'wrong_code', 20);
  expect(failedEnrolments).toHaveLength(20);
});

it('subscribers get a repeated failure of an enrolment within the minute after failures of ten thousand other sessions', () => {
  const { failedEnrolments, fail } = setup();
  for (let i = 0; i <= MAX_KINDS; i += 1) fail(`s${i}`, 'none_pending');
  failedEnrolments.length = 0;
  fail('s1', 'none_pending');
  fail('s0', 'none_pending');
  expect(failedEnrolments).toEqual([['s0', 'none_pending', 1]]);
});

it('subscribers still get events after the wall clock is set back', () => {
  const { rejections, reject, advanceClock, setClockBack } = setup();
  reject('expired');
  setClockBack(60 * MINUTE_MS);
  advanceClock(MINUTE_MS);
  reject('expired');
  expect(rejections).toHaveLength(2);
});
