/**
 * A model of a way in which people make up a text: the probability of the next character after the text `before`. The
 * probabilities of all characters add up to one at most.
 */
type Model = (before: string, character: string) => number;

/** The letters of English by frequency, and the frequency of each in percent. */
const LETTERS = 'etaoinshrdlcumwfgypbvkjxqz';
const LETTER_PERCENTS = [
  12.5, 9.1, 8.2, 7.5, 7, 6.7, 6.3, 6, 6, 4.3, 4, 2.8, 2.8, 2.4, 2.4, 2.2, 2, 2, 1.9, 1.5, 1, 0.8,
  0.2, 0.2, 0.1, 0.1,
];

/** Words that are common in made-up keys. */
const WORDS =
  'access admin and api app auth base bytes change changeme character code company crypt data default demo dev development \
do encryption env example for hello here hmac insert is jwt key local login long me my not of our pass password phrase \
please prod production random refresh replace sample secret secure session sign signing staging string super test that \
the this thirty to token use very webhook with word world your'.split(' ');

/** How many words of the list begin with each prefix. */
const PREFIX_COUNTS = countPrefixes(WORDS);
const LONGEST_WORD = Math.max(...WORDS.map(({ length }) => length));

/** The keys of a keyboard, by rows and by columns. */
const KEYBOARD = ['qwertyuiopasdfghjklzxcvbnm', '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p'];

type Kind = 'lower' | 'upper' | 'digit' | 'mark';

/**
 * The probability of each kind of character after another kind, in a text of words in lower case, camel case or
 * capitals, and numbers.
 */
const FOLLOWING: Readonly<Record<Kind | 'capitals', Readonly<Record<Kind, number>>>> = {
  lower: { lower: 0.76, upper: 0.08, digit: 0.05, mark: 0.11 },
  upper: { lower: 0.75, upper: 0.17, digit: 0.04, mark: 0.04 },
  capitals: { lower: 0.05, upper: 0.8, digit: 0.04, mark: 0.11 },
  digit: { lower: 0.1, upper: 0.08, digit: 0.7, mark: 0.12 },
  mark: { lower: 0.5, upper: 0.25, digit: 0.2, mark: 0.05 },
};

const MODELS: readonly Model[] = [english, listedWord, repetition, progression, keyboard];
/** The probability that a model assigns to the one character that it expects. */
const EXPECTED_PROBABILITY = 0.9;
/** The part of the weights that is shared equally after each character, because a text may change its pattern. */
const SHARED_PART = 0.1;

/**
 * How much likelier it is that a text was made up than that it is random, as a power of two. Words, repetitions,
 * sequences and runs of adjacent keys score high.
 *
 * Security: a mixture of models is a probability distribution over texts. Therefore at most one random text in 2^n
 * scores n or more (Markov's inequality), however good or bad the models are.
 *
 * @param bitsPerCharacter - the entropy of a random character: 4 in hex, 6 in base64, 8 if each character is a byte
 */
export function guessedBits(text: string, bitsPerCharacter: number): number {
  const models = [() => 2 ** -bitsPerCharacter, ...MODELS];
  let weights = models.map(() => 1 / models.length);
  let bits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const before = text.slice(0, index);
    const character = text.charAt(index);
    const shares = models.map((model, i) => (weights[i] ?? 0) * model(before, character));
    const likelihood = shares.reduce((sum, share) => sum + share, 0);
    bits += Math.log2(likelihood) + bitsPerCharacter;
    // From now on, models that have predicted well count for more.
    weights = shares.map(
      (share) => (1 - SHARED_PART) * (share / likelihood) + SHARED_PART / models.length,
    );
  }
  return bits;
}

function english(before: string, character: string): number {
  const kind = kindOf(character);
  const last = kindOf(before.at(-1) ?? ' ');
  if (kind === undefined || last === undefined) return 0;
  const likelihood = FOLLOWING[endsInCapitals(before) ? 'capitals' : last][kind];
  if (kind === 'digit') return likelihood / 10;
  // Three of the 33 marks separate words: each has 0.3 of the probability, and the other thirty share 0.1.
  if (kind === 'mark') return likelihood * (/[ _-]/.test(character) ? 0.3 : 0.1 / 30);
  return (likelihood * (LETTER_PERCENTS[LETTERS.indexOf(character.toLowerCase())] ?? 0)) / 100;
}

/** Whether the last two or three characters have a capital, and neither a lower-case letter nor a digit. */
function endsInCapitals(text: string): boolean {
  const ending = text.slice(-3);
  return ending.length > 1 && /[A-Z]/.test(ending) && !/[a-z\d]/.test(ending);
}

/**
 * Takes the longest end of `before` that is the beginning of listed words, and expects the next letters of these words:
 * after `sec`, `r` (secret) and `u` (secure).
 */
function listedWord(before: string, character: string): number {
  const end = before.slice(-LONGEST_WORD).toLowerCase();
  // The longest end first.
  for (let start = 0; start < end.length; start += 1) {
    const prefix = end.slice(start);
    const words = PREFIX_COUNTS.get(prefix);
    if (words === undefined) continue;
    const hits = PREFIX_COUNTS.get(prefix + character.toLowerCase()) ?? 0;
    const inCapitals = prefix.length > 1 && kindOf(before.at(-1) ?? '') === 'upper';
    const isSameCase = kindOf(character) === (inCapitals ? 'upper' : 'lower');
    return (hits / words) * (isSameCase ? EXPECTED_PROBABILITY : 1 - EXPECTED_PROBABILITY);
  }
  return 0;
}

/** Expects the character that followed the last occurrence of the same characters. */
function repetition(before: string, character: string): number {
  for (const length of [3, 2, 1]) {
    if (before.length <= length) continue;
    const at = before.lastIndexOf(before.slice(-length), before.length - length - 1);
    if (at >= 0) return before[at + length] === character ? EXPECTED_PROBABILITY : 0;
  }
  return 0;
}

/** Expects that the step between the last two characters is repeated: `0000`, `1234`, `acegi`. */
function progression(before: string, character: string): number {
  if (before.length < 2) return 0;
  const last = before.charCodeAt(before.length - 1);
  const step = last - before.charCodeAt(before.length - 2);
  // Modulo 256, because the characters of a key in bytes count on from 255 at 0.
  return character.charCodeAt(0) === (last + step + 256) % 256 ? EXPECTED_PROBABILITY : 0;
}

/** Expects a neighbour of the last key, in a row or a column. */
function keyboard(before: string, character: string): number {
  const pair = `${before.at(-1) ?? ''}${character}`.toLowerCase();
  const walks = KEYBOARD.filter((keys) => pair.length === 2 && keys.includes(pair)).length;
  // The next key is one of two neighbours, in either case.
  return (walks * EXPECTED_PROBABILITY) / 4;
}

function countPrefixes(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) {
    for (let length = 1; length <= word.length; length += 1) {
      const prefix = word.slice(0, length);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  return counts;
}

/** `undefined` for anything but printable ASCII. */
function kindOf(character: string): Kind | undefined {
  if (/[a-z]/.test(character)) return 'lower';
  if (/[A-Z]/.test(character)) return 'upper';
  if (/\d/.test(character)) return 'digit';
  return /[\x20-\x7e]/.test(character) ? 'mark' : undefined;
}
