import { describe, expect, it } from 'vitest';
import { newSigningSecret, signingSecretText } from './signing-secret.ts';

describe('a signing secret', () => {
  it('is 32 random bytes, different each time', () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret);
    for (const secret of secrets) expect(secret).toHaveLength(32);
    expect(new Set(secrets.map(signingSecretText)).size).toBe(100);
  });

  it('is written in the format of Standard Webhooks', () => {
    expect(signingSecretText(Buffer.alloc(32, 0xfb))).toBe(
      'whsec_+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=',
    );
  });
});
