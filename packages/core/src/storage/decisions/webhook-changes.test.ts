import { expect, it } from 'vitest';
import { signingSecrets } from './webhook-changes.ts';

it('signingSecrets includes a secret until the millisecond at which it retires', () => {
  const current = { encrypted: 'new', retiresAtMs: null };
  const old = { encrypted: 'old', retiresAtMs: 100 };
  expect(signingSecrets([current, old], old.retiresAtMs - 1)).toEqual([current, old]);
  expect(signingSecrets([current, old], old.retiresAtMs)).toEqual([current]);
});
