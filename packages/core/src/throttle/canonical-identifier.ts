/**
 * Characters that `toPlain` looks up, because a collator may consider them equal to some ASCII text: those beyond
 * ASCII, except letters without case (`Lo`), which make up most other scripts.
 */
const CAN_BE_PLAIN = /[^ -~\p{Lo}]/gu;

/**
 * Characters that collations of databases ignore. The collator of `toPlain` ignores only some of them: not spaces, most
 * modifier letters (`Lm`) and many marks (`M`). Four characters are in no such category: the middle dot, which
 * collations treat as an accent of the Catalan l, and three that Unicode lists as letters without case.
 */
const IGNORED =
  /[\p{M}\p{Lm}\p{Cf}\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}\u00B7\u1CF2\u1CF3\uFE73]/gu;

/**
 * One form for all spellings of a login name that a host's database may consider equal, so that guesses at them share
 * one count. Folds letter case and accents, compatibility forms (the Kelvin sign is a k), characters that collations
 * ignore (a tatweel, a zero width space), and digits and numbers of all scripts. Where it folds more than the database
 * does, two users share a lock; where it folds less, a stranger has ten more guesses.
 *
 * For letters other than a to z it folds only case, accents and compatibility forms: hiragana and katakana, or the
 * final and other forms of a Hebrew letter, stay apart.
 */
export function canonicalIdentifier(username: string): string {
  return (
    username
      .normalize('NFKD')
      .replace(CAN_BE_PLAIN, toPlain)
      .replace(IGNORED, '')
      // In lower case first, because the capital sharp s (ẞ) is its own upper case, and ß has the upper case SS.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
  );
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** 80 is the largest number that NFKD leaves as one character: U+324F, a number in a circle on a square. */
const NUMBERS = Array.from({ length: 81 }, (_, number) => String(number));

interface Folding {
  readonly compare: (one: string, other: string) => number;
  /** Texts that one character may be equal to, sorted: nothing, a number, a letter, or two letters (a ligature). */
  readonly candidates: readonly string[];
  /** A cache of results. */
  readonly cache: Map<string, string>;
}

function createFolding(): Folding {
  // Compares like the most lenient collations of databases: only by letters, in any case and with any accents.
  const { compare } = new Intl.Collator('en', { sensitivity: 'base' });
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return {
    compare,
    candidates: ['', ...NUMBERS, ...LETTERS, ...pairs].sort(compare),
    cache: new Map(),
  };
}

/** More characters than any alphabet has. A limit is needed, because an attacker may use any of a million. */
const MAX_CACHED = 4_096;

/** Created for the first name that needs it: a collator at import would double the time of the import. */
let folding: Folding | undefined;

/** The ASCII text that a character is equal to, or else the character itself. */
function toPlain(character: string): string {
  folding ??= createFolding();
  const cachedText = folding.cache.get(character);
  if (cachedText !== undefined) return cachedText;
  const text = lookUp(character, folding);
  if (folding.cache.size >= MAX_CACHED) folding.cache.clear();
  folding.cache.set(character, text);
  return text;
}

/** Bisects the sorted candidates. */
function lookUp(character: string, { compare, candidates }: Folding): string {
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const candidate = candidates[middle] ?? '';
    const order = compare(character, candidate);
    if (order === 0) return candidate;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return character;
}
