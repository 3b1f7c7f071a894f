import { expect, it } from 'vitest';
import { assertAgreement } from './assert-agreement.ts';

it('shows the answer of the reference beside the other one', () => {
  const answers = {
    actual: [{ outcome: 'queued', at: { webhook: { id: ['wh_1'] } }, nextAtMs: undefined }],
    expected: [{ outcome: 'queued', at: { webhook: { id: ['wh_2'] } } }],
  };
  expect(() => assertAgreement('step 7, publish', answers)).toThrow(
    [
      'step 7, publish:',
      "  answered  [ { at: { webhook: { id: [ 'wh_1' ] } }, nextAtMs: undefined, outcome: 'queued' } ]",
      "  reference [ { at: { webhook: { id: [ 'wh_2' ] } }, outcome: 'queued' } ]",
    ].join('\n'),
  );
});

it('shows what led to it', () => {
  const before = ['step 5, publish m1: published', 'step 6, wait 100 ms'];
  expect(() => assertAgreement('step 7, count', { actual: 0, expected: 1 }, before)).toThrow(
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

it('says nothing if the answers agree', () => {
  assertAgreement('step 7, revoke all', { actual: undefined, expected: undefined });
  assertAgreement('step 8, list', { actual: [{ a: 1, b: 2 }], expected: [{ b: 2, a: 1 }] });
});
