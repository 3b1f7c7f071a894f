import { malformedFields } from '../errors.ts';

/** A code as the user typed it, told apart by its shape. */
export type ChallengeCode =
  | { readonly kind: 'totp'; readonly digits: string }
  /** 16 characters of base32, upper case, without dashes. */
  | { readonly kind: 'recovery'; readonly code: string };

type CodeKind = ChallengeCode['kind'];

/** Six digits, as a number. */
export const LARGEST_CODE = 999_999;

/** What a client is told to send. */
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

/** Reads a code, or answers `null` for any other shape, which costs no attempt. */
export function readChallengeCode(typed: string | number): ChallengeCode | null {
  if (typeof typed === 'number') {
    // A client that sent the code as a number has lost its leading zeros on the way.
    if (!Number.isInteger(typed) || typed < 0 || typed > LARGEST_CODE) return null;
    return { kind: 'totp', digits: String(typed).padStart(6, '0') };
  }
  if (/^[0-9]{6}$/.test(typed)) return { kind: 'totp', digits: typed };
  if (typed.length > 32 || !/^[A-Za-z2-7-]+$/.test(typed)) return null;
  const code = typed.replaceAll('-', '').toUpperCase();
  return code.length === 16 ? { kind: 'recovery', code } : null;
}
