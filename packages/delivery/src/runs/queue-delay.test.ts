import { expect, it } from 'vitest';
import { queueDelayMs } from './queue-delay.ts';

it('has a queue wake early enough to wait for the rest in place', () => {
  expect(queueDelayMs(1_000.2)).toBe(951);
});

it('lets nothing wait for longer than an hour', () => {
  expect(queueDelayMs(3_600_050)).toBe(3_600_000);
  expect(queueDelayMs(1e12)).toBe(3_600_000);
});

it('has nothing wake before now', () => {
  expect(queueDelayMs(20)).toBe(0);
});
