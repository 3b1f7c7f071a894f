import { expect, it } from 'vitest';
import { assertSameOutcome } from './assert-same-outcome.ts';

it('assertSameOutcome() shows both outcomes if they differ', () => {
  const results = {
    actual: [{ outcome: 'queued', at: { webhook: { id: ['wh_1'] } }, nextAtMs: undefined }],
    expected: [{ outcome: 'queued', at: { webhook: { id: ['wh_2'] } } }],
  };
  expect(() => assertSameOutcome('step 7, publish', results)).toThrow(
    [
      'step 7, publish:',
      "  answered  [ { at: { webhook: { id: [ 'wh_1' ] } }, nextAtMs: undefined, outcome: 'queued' } ]",
      "  reference [ { at: { webhook: { id: [ 'wh_2' ] } }, outcome: 'queued' } ]",
    ].join('\n'),
  );
});

it('assertSameOutcome() shows the steps before a difference', () => {
  const before = ['step 5, publish m1: published', 'step 6, wait 100 ms'];
  expect(() => assertSameOutcome('step 7, count', { actual: 0, expected: 1 }, before)).toThrow(
    [
      'step 7, count:',
      '  answered  0',
      '  reference 1',
      '  before it:',
      '    step 5, publish m1: published',
      '    step 6, wait 100 ms',
    ].join('\n'),
  );
});

it('assertSameOutcome() passes equal outcomes', () => {
  assertSameOutcome('step 7, revoke all', { actual: undefined, expected: undefined });
  assertSameOutcome('step 8, list', { actual: [{ a: 1, b: 2 }], expected: [{ b: 2, a: 1 }] });
});
