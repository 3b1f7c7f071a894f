import { expect, it } from 'vitest';
import { signingSecrets } from './webhook-changes.ts';

it('a secret signs nothing from the millisecond at which it retires', () => {
  const current = { encrypted: 'new', retiresAtMs: null };
  const old = { encrypted: 'old', retiresAtMs: 100 };
  expect(signingSecrets([current, old], 99)).toEqual([current, old]);
  expect(signingSecrets([current, old], 100)).toEqual([current]);
});
