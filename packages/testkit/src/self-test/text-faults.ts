/** How databases and adapters change texts. */
const TEXT_FAULTS: Readonly<Record<string, (text: string) => string>> = {
  'folds letter case': (text) => text.toLowerCase(),
  'ignores accents': (text) => text.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, ''),
  'normalises texts to NFC': (text) => text.normalize('NFC'),
  'normalises texts to NFKC': (text) => text.normalize('NFKC'),
  'ignores trailing spaces': (text) => text.trimEnd(),
  'ignores leading spaces': (text) => text.trimStart(),
  'truncates texts at a NUL': (text) => text.split('\u0000')[0] ?? '',
  'drops NUL from texts': (text) => text.replaceAll('\u0000', ''),
  'replaces characters of four bytes': (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'),
  'truncates texts at 64 characters': (text) => text.slice(0, 64),
  'truncates texts at 100 characters': (text) => text.slice(0, 100),
  'truncates texts at 254 characters': (text) => text.slice(0, 254),
  'reads texts as numbers': (text) => (Number.isFinite(Number(text)) ? String(Number(text)) : text),
  'splits texts at a colon': (text) => text.split(':')[0] ?? '',
};

/** A faulty harness for each way to change texts. */
export function textFaults<Harness>(
  faultyHarness: (mangle: (text: string) => string) => Harness,
): Readonly<Record<string, Harness>> {
  return Object.fromEntries(
    Object.entries(TEXT_FAULTS).map(([fault, mangle]) => [fault, faultyHarness(mangle)]),
  );
}
