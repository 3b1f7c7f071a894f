import { malformedFields } from '../errors.ts';
import { compactText } from './compact-text.ts';

/** A code as the user typed it, classified by its shape. */
export type ChallengeCode =
  | { readonly kind: 'totp'; readonly digits: string }
  /** 16 characters of base32, upper case, without dashes. */
  | { readonly kind: 'recovery'; readonly code: string };

type CodeKind = ChallengeCode['kind'];

/** The largest number of six digits. */
export const LARGEST_CODE = 999_999;

/** The maximum length of a code with separators. */
export const MAX_TYPED_CHARS = 64;

/** The kinds of codes, for error messages. */
const KIND_TEXTS: Readonly<Record<CodeKind, string>> = {
  totp: 'six digits',
  recovery: 'a recovery code',
};

/**
 * Reads a code of one of these kinds.
 *
 * @throws {AuthError} `invalid_request` for any other text, which costs no attempt
 */
export function parseCode<TKind extends CodeKind>(
  typed: string | number,
  kinds: readonly TKind[],
): Extract<ChallengeCode, { readonly kind: TKind }> {
  const code = readChallengeCode(typed);
  if (code !== null && isAmong(code, kinds)) return code;
  const kindTexts = kinds.map((kind) => KIND_TEXTS[kind]).join(' or ');
  throw malformedFields([{ field: 'code', message: `must be ${kindTexts}` }]);
}

function isAmong<TKind extends CodeKind>(
  code: ChallengeCode,
  kinds: readonly TKind[],
): code is Extract<ChallengeCode, { readonly kind: TKind }> {
  return kinds.some((kind) => kind === code.kind);
}

/**
 * Reads a code; returns `null` for any other text, which costs no attempt. Accepts every way to type or paste a code:
 * full-width digits, digits of any script, any letter case, and separators.
 */
export function readChallengeCode(typed: string | number): ChallengeCode | null {
  if (typeof typed === 'number') {
    // A number has lost the leading zeros of the code.
    if (!Number.isInteger(typed) || typed < 0 || typed > LARGEST_CODE) return null;
    return { kind: 'totp', digits: String(typed).padStart(6, '0') };
  }
  if (typed.length > MAX_TYPED_CHARS) return null;
  const code = compactText(typed).replace(/\p{Nd}/gu, asciiDigit);
  if (/^[0-9]{6}$/.test(code)) return { kind: 'totp', digits: code };
  // Matched before the letter case is changed: the capital of a letter beyond ASCII, such as a dotless i, may be one of
  // these letters.
  if (!/^[A-Za-z2-7]{16}$/.test(code)) return null;
  return { kind: 'recovery', code: code.toUpperCase() };
}

/**
 * Converts a digit of any script, because phone keyboards type digits of their script. In Unicode, the ten digits of
 * each script are consecutive, and those of another script may come right before them.
 */
function asciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let digitsBefore = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - digitsBefore - 1))) digitsBefore += 1;
  return String(digitsBefore % 10);
}
