import { expect, it } from 'vitest';
import { ModelTrail } from './model-trail.ts';

it('ModelTrail shows the newest steps of a user, including steps that affect all users', () => {
  const trail = new ModelTrail();
  for (let i = 1; i <= 20; i += 1) trail.addResult(`step ${i}, list`, [], 'grace');
  for (let i = 21; i <= 40; i += 1) trail.addResult(`step ${i}, look`, true, 'ada');
  trail.add('step 41, wait 1000 ms');
  const steps = trail.before('grace');
  expect(steps).toHaveLength(12);
  expect(steps[0]).toBe('step 10, list: 0 listed');
  expect(steps.at(-1)).toBe('step 41, wait 1000 ms');
});

it('ModelTrail shortens results to their outcome or size', () => {
  const trail = new ModelTrail();
  const results = [
    { outcome: 'rotated', session: {} },
    [{}, {}],
    false,
    null,
    undefined,
    { id: 1 },
  ];
  for (const result of results) trail.addResult('call', result);
  expect(trail.before()).toEqual(
    ['rotated', '2 listed', 'false', 'done', 'done', 'found'].map((short) => `call: ${short}`),
  );
});
