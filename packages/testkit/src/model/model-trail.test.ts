import { expect, it } from 'vitest';
import { ModelTrail } from './model-trail.ts';

it('ModelTrail shows the newest steps of a user, including steps of no user', () => {
  const trail = new ModelTrail();
  for (let i = 1; i <= 20; i += 1) trail.noteAnswered(`step ${i}, list`, [], 'grace');
  for (let i = 21; i <= 40; i += 1) trail.noteAnswered(`step ${i}, look`, true, 'ada');
  trail.note('step 41, wait 1000 ms');
  const shown = trail.before('grace');
  expect(shown).toHaveLength(12);
  expect(shown[0]).toBe('step 10, list: 0 listed');
  expect(shown.at(-1)).toBe('step 41, wait 1000 ms');
});

it('ModelTrail shortens answers to their outcome or size', () => {
  const trail = new ModelTrail();
  const answers = [
    { outcome: 'rotated', session: {} },
    [{}, {}],
    false,
    null,
    undefined,
    { id: 1 },
  ];
  for (const answer of answers) trail.noteAnswered('asked', answer);
  expect(trail.before()).toEqual(
    ['rotated', '2 listed', 'false', 'done', 'done', 'found'].map((short) => `asked: ${short}`),
  );
});
