const LONG = 'x'.repeat(254);

/**
 * Texts of up to 255 bytes that an adapter might split, fold or interpret, as a key, hash tag, pattern or prototype, or
 * that a database might treat as equal.
 */
export const AWKWARD_TEXTS: readonly string[] = [
  ['ada', 'Ada', 'ada ', ' ada', 'ad\u00e1', 'ada\u0301', 'ada\u0000', 'ada\u0000b', 'ada\u200b'],
  ['ada:1', 'ada}{1', '{ada}', 'ada*', 'ad_', 'ad%'],
  ["a'da", 'a"da', 'a\\da', 'a d\na', 'a\u0000da'],
  ['\u00e9', 'e\u0301', 'E\u0301', 'e', '\ufb01', 'fi', 'ß', 'ss', 'ẞ', 'i', 'I', 'İ', 'ı'],
  ['1', '01', '1.0', '1e0', 'null', 'true', '__proto__', 'constructor'],
  ['ünï\u{1F512}', 'ünï\u{1F513}', 'ünï?'],
  ...[64, 100, 254].map((length) => ['a', 'b', 'A'].map((last) => LONG.slice(0, length) + last)),
].flat();
