/** Ids that an adapter might take apart, fold or interpret: keys, hash tags, patterns, prototypes. */
export const AWKWARD_USER_IDS: readonly string[] = [
  'ada',
  'Ada',
  'ada:1',
  'ada}{1',
  '{ada}',
  'ada*',
  "a'da",
  'a\u0000da',
  'a d\na',
  '__proto__',
  'constructor',
  'ünï\u{1F512}',
  'x'.repeat(255),
];
