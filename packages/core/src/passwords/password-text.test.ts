import { describe, expect, it } from 'vitest';
import { checkNewPassword, checkPassword, normalizePassword } from './password-text.ts';

describe('a password', () => {
  it.each([
    ['one character', 'x'],
    ['64 characters', 'x'.repeat(64)],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters of four bytes each', '😀'.repeat(256)],
    ['a NUL in it', 'a\0b'],
    ['spaces around it', ' x '],
    ['a pair of surrogates', '\ud83d\ude00'],
    ['U+FFFD, which another app may have let the user choose', 'M\ufffdnchen'],
  ])('is accepted with %s', (_, text) => {
    expect(checkPassword(text)).toEqual({ outcome: 'ok' });
  });

  it.each([
    ['empty', '', 'must not be empty'],
    ['of 257 characters', 'x'.repeat(257), 'must be at most 256 characters'],
    ['of 1,025 bytes', `${'😀'.repeat(256)}x`, 'must be at most 256 characters'],
    ['of a megabyte', 'x'.repeat(1_000_000), 'must be at most 256 characters'],
    ['text with a lone high surrogate', '\ud800x', 'must be well-formed Unicode'],
    ['text with a lone low surrogate', 'x\udc00', 'must be well-formed Unicode'],
    ['text with a pair the wrong way round', '\ude00\ud83d', 'must be well-formed Unicode'],
  ])('is rejected if it is %s', (_, text, message) => {
    expect(checkPassword(text)).toEqual({ outcome: 'rejected', message });
  });

  it('is rejected as a new password if it contains U+FFFD', () => {
    const message = 'must not contain U+FFFD';
    expect(checkNewPassword('M\ufffdnchen')).toEqual({ outcome: 'rejected', message });
    expect(checkNewPassword('M\u00fcnchen')).toEqual({ outcome: 'ok' });
    expect(checkNewPassword('')).toEqual(checkPassword(''));
  });

  it('is normalised under `NFC` but not under `none`', () => {
    expect(normalizePassword('e\u0301', 'NFC')).toBe('\u00e9');
    expect(normalizePassword('e\u0301', 'none')).toBe('e\u0301');
  });

  it('keeps compatibility characters under `NFC`', () => {
    expect(normalizePassword('\ufb01\u2460', 'NFC')).toBe('\ufb01\u2460');
  });
});
