import { malformedFields } from '../errors.ts';
import { compactText } from './compact-text.ts';

/** A code as the user typed it, classified by its shape. */
export type ChallengeCode =
  | { readonly kind: 'totp'; readonly digits: string }
  /** 16 characters of base32, upper case, without dashes. */
  | { readonly kind: 'recovery'; readonly code: string };

type CodeKind = ChallengeCode['kind'];

/** Six digits, as a number. */
export const LARGEST_CODE = 999_999;

/** Longer texts are no code. */
export const MAX_TYPED_CHARS = 64;

/** What to send, for messages. */
const SHAPES: Readonly<Record<CodeKind, string>> = {
  totp: 'six digits',
  recovery: 'a recovery code',
};

/**
 * Reads a code of one of these kinds.
 *
 * @throws {AuthError} `invalid_request` for any other shape, which costs no attempt
 */
export function getCode<TKind extends CodeKind>(
  typed: string | number,
  kinds: readonly TKind[],
): Extract<ChallengeCode, { readonly kind: TKind }> {
  const code = readChallengeCode(typed);
  if (code !== null && isAmong(code, kinds)) return code;
  const shapes = kinds.map((kind) => SHAPES[kind]).join(' or ');
  throw malformedFields([{ field: 'code', message: `must be ${shapes}` }]);
}

function isAmong<TKind extends CodeKind>(
  code: ChallengeCode,
  kinds: readonly TKind[],
): code is Extract<ChallengeCode, { readonly kind: TKind }> {
  return kinds.some((kind) => kind === code.kind);
}

/**
 * Reads a code, or returns `null` for any other shape, which costs no attempt. Ignores how the code was typed or
 * pasted: width and script of its digits, letter case, and separators.
 */
export function readChallengeCode(typed: string | number): ChallengeCode | null {
  if (typeof typed === 'number') {
    // A client that sent the code as a number has lost its leading zeros on the way.
    if (!Number.isInteger(typed) || typed < 0 || typed > LARGEST_CODE) return null;
    return { kind: 'totp', digits: String(typed).padStart(6, '0') };
  }
  if (typed.length > MAX_TYPED_CHARS) return null;
  const code = compactText(typed).replace(/\p{Nd}/gu, asciiDigit);
  if (/^[0-9]{6}$/.test(code)) return { kind: 'totp', digits: code };
  // Before the letter case is folded, since the capital of other letters, such as a dotless i, is among these.
  if (!/^[A-Za-z2-7]{16}$/.test(code)) return null;
  return { kind: 'recovery', code: code.toUpperCase() };
}

/** Phone keyboards type the digits of their script. Unicode has those of each script in a row, from zero on. */
function asciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return String(value % 10);
}
