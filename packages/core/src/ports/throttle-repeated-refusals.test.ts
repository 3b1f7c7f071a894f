import { expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import type { AccessTokenRefusalReason } from './events/access-token-security-event.ts';
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
    if (event.type === 'access_token.refused') heard.push([event.reason, event.count]);
    if (event.type === 'enrolment.failed')
      failed.push([event.sessionId, event.reason, event.count]);
  });
  return {
    heard,
    failed,
    observed,
    refuse(reason: AccessTokenRefusalReason, times = 1) {
      for (let time = 0; time < times; time += 1) {
        events.emit({ type: 'access_token.refused', reason, count: 1 });
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

it('passes on the first refusal of each reason at once', () => {
  const { heard, refuse } = setup();
  refuse('wrong_issuer', 3);
  refuse('expired', 2);
  expect(heard).toEqual([
    ['wrong_issuer', 1],
    ['expired', 1],
  ]);
});

it('then passes on one a minute, which counts those held back', () => {
  const { heard, refuse, turnBy } = setup();
  refuse('wrong_issuer', 5_000);
  turnBy(59_999);
  refuse('wrong_issuer');
  expect(heard).toHaveLength(1);
  turnBy(1);
  refuse('wrong_issuer', 2);
  turnBy(60_000);
  refuse('wrong_issuer');
  expect(heard.slice(1)).toEqual([
    ['wrong_issuer', 5_001],
    ['wrong_issuer', 2],
  ]);
});

it('shows every refusal to those who observe', () => {
  const { observed, refuse } = setup();
  refuse('unknown_key', 100);
  expect(observed).toHaveLength(100);
});

it('passes on the first of a session for each reason why an enrolment failed, then one a minute', () => {
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

it('passes on every wrong code of an enrolment', () => {
  const { failed, fail } = setup();
  fail('s1', 'wrong_code', 20);
  expect(failed).toHaveLength(20);
});

it('forgets the session that it has heard of first, of more than ten thousand', () => {
  const { failed, fail } = setup();
  for (let nth = 0; nth <= 10_000; nth += 1) fail(`s${nth}`, 'none_pending');
  failed.length = 0;
  fail('s1', 'none_pending');
  fail('s0', 'none_pending');
  expect(failed).toEqual([['s0', 'none_pending', 1]]);
});

it('is not silenced by a clock that is set back', () => {
  const { heard, refuse, turnBy, setBack } = setup();
  refuse('expired');
  setBack(3_600_000);
  turnBy(60_000);
  refuse('expired');
  expect(heard).toHaveLength(2);
});
