import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { verifyTotp } from './totp.ts';

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const nowMs = 1_795_182_015_000;
const step = Math.floor(nowMs / 30_000);
/** The time of the first test value in RFC 6238, appendix B. */
const RFC_TIME_MS = 59_000;

/** The code of a time step, relative to the current one. */
function codeOf(offset: number): string {
  return generateSync({ secret, epoch: (step + offset) * 30 });
}

describe('verifyTotp', () => {
  it('accepts the code of RFC 6238, appendix B', async () => {
    expect(await verifyTotp(secret, '287082', RFC_TIME_MS)).toEqual({ outcome: 'valid', step: 1 });
  });

  it.each([0, -1])(
    'accepts the code of the current step plus %i, and returns that step',
    async (offset) => {
      const result = await verifyTotp(secret, codeOf(offset), nowMs);
      expect(result).toEqual({ outcome: 'valid', step: step + offset });
    },
  );

  it.each([-2, 1, 2])('returns wrong for the code of the current step plus %i', async (offset) => {
    expect(await verifyTotp(secret, codeOf(offset), nowMs)).toEqual({ outcome: 'wrong' });
  });

  it('rejects if the secret has less than 80 bits', async () => {
    await expect(verifyTotp('GEZDGNBV', '000000', nowMs)).rejects.toThrow();
  });
});
