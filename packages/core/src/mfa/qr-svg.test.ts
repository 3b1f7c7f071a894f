import { describe, expect, it } from 'vitest';
import { otpauthUri } from './otpauth-uri.ts';
import { qrSvg } from './qr-svg.ts';

// `test/e2e/mfa-enrolment.test.ts` tests that readers can read the QR code.
describe('a QR code', () => {
  it('is one scalable SVG with a quiet zone, without scripts or external references', async () => {
    const svg = await qrSvg('otpauth://totp/a?secret=b');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1">/);
    expect(svg).toMatch(/<\/svg>$/);
    expect(svg.match(/<\w+/g)).toEqual(['<svg', '<rect', '<path']);
    const modules = [...svg.matchAll(/M(\d+),(\d+)h1v1h-1z/g)];
    expect(Math.min(...modules.map(([, x]) => Number(x)))).toBe(4);
    expect(svg).not.toContain('secret');
  });

  it('can be generated for the longest possible names', async () => {
    const factor = { totpSecret: 'A'.repeat(32), issuerName: '\u8a9e'.repeat(64) };
    const uri = await otpauthUri({ id: '\u8a9e'.repeat(100) }, factor);
    expect(await qrSvg(uri)).toMatch(/^<svg/);
  });
});
