import { expect, it, vi } from 'vitest';

/** What loads data of ICU as it is made, which takes as long as all of core. */
const FORMATS = [
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
  const made = FORMATS.map((name) => vi.spyOn(Intl, name));
  const { createAuth } = await import('./index.ts');
  const nothing = async () => null;
  const users = { findByUsername: nothing, findById: nothing };
  await createAuth({ issuer: 'https://api.example.com', users }).close();
  for (const spy of made) expect(spy).not.toHaveBeenCalled();
});
