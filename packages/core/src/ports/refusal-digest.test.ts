import { expect, it } from 'vitest';
import type { AccessTokenRefusalReason } from './events/access-token-security-event.ts';
import { createSecurityEvents } from './security-event-emitter.ts';

function setup() {
  let nowMs = Date.UTC(2027, 0, 1);
  let monotonicMs = 5;
  const events = createSecurityEvents({ nowMs: () => nowMs, monotonicMs: () => monotonicMs });
  const heard: unknown[] = [];
  const observed: unknown[] = [];
  events.observe((event) => observed.push(event.type));
  events.subscribe((event) => {
    if (event.type === 'access_token.refused') heard.push([event.reason, event.count]);
  });
  return {
    heard,
    observed,
    refuse(reason: AccessTokenRefusalReason, times = 1) {
      for (let time = 0; time < times; time += 1) {
        events.emit({ type: 'access_token.refused', reason, count: 1 });
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

it('is not silenced by a clock that is set back', () => {
  const { heard, refuse, turnBy, setBack } = setup();
  refuse('expired');
  setBack(3_600_000);
  turnBy(60_000);
  refuse('expired');
  expect(heard).toHaveLength(2);
});
