/** What databases and adapters do to texts, by what they are said to do. */
const MANGLED: Readonly<Record<string, (text: string) => string>> = {
  'folds letter case': (text) => text.toLowerCase(),
  'ignores accents': (text) => text.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, ''),
  'composes letters': (text) => text.normalize('NFC'),
  'composes ligatures': (text) => text.normalize('NFKC'),
  'ignores spaces at the end': (text) => text.trimEnd(),
  'ignores spaces at the beginning': (text) => text.trimStart(),
  'ends at a NUL': (text) => text.split('\u0000')[0] ?? '',
  'drops NUL': (text) => text.replaceAll('\u0000', ''),
  'keeps three bytes of a character': (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'),
  'cuts at 64': (text) => text.slice(0, 64),
  'cuts at 100': (text) => text.slice(0, 100),
  'cuts at 254': (text) => text.slice(0, 254),
  'reads numbers': (text) => (Number.isFinite(Number(text)) ? String(Number(text)) : text),
  'takes texts apart': (text) => text.split(':')[0] ?? '',
};

/** A broken store for each of them. */
export function mangling<Harness>(
  storeThat: (mangle: (text: string) => string) => Harness,
): Readonly<Record<string, Harness>> {
  return Object.fromEntries(
    Object.entries(MANGLED).map(([fault, mangle]) => [fault, storeThat(mangle)]),
  );
}
