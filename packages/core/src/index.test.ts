import { expect, it, vi } from 'vitest';

/** Constructors that load data of ICU, which takes as long as loading all of core. */
const CONSTRUCTORS = [
  'Collator',
  'DateTimeFormat',
  'DisplayNames',
  'ListFormat',
  'NumberFormat',
  'PluralRules',
  'RelativeTimeFormat',
  'Segmenter',
] as const;

it('importing core loads no language data', async () => {
  vi.resetModules();
  const spies = CONSTRUCTORS.map((name) => vi.spyOn(Intl, name));
  const { createAuth } = await import('./index.ts');
  const nothing = async () => null;
  const users = { findByUsername: nothing, findById: nothing };
  await createAuth({ issuer: 'https://api.example.com', users }).close();
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});
