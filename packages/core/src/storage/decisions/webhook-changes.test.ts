import { expect, it } from 'vitest';
import { signingSecrets } from './webhook-changes.ts';

it('leaves out what has retired, from that very moment on', () => {
  const current = { sealed: 'new', retiresAtMs: null };
  const old = { sealed: 'old', retiresAtMs: 100 };
  expect(signingSecrets([current, old], 99)).toEqual([current, old]);
  expect(signingSecrets([current, old], 100)).toEqual([current]);
});
