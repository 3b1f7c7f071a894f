import type { AccountId } from '@latchhook/core';

/** Account ids that a store might parse, fold, truncate, join or interpret. */
export const TEXT_ACCOUNTS: readonly AccountId[] = [
  ...'1 01 1.0 1e0 -1 =1 "1" null __proto__ a ab aB AB'.split(' '),
  ...String.raw`a/b a:b a.b a%2Fb a% a_ a* a? a\b {tag} {tag}x }{ {} ';-- $1 <ab>`.split(' '),
  '019ac0de-7f3a-7c52-9d1e-0b6a4c8e2f10',
  '~'.repeat(64),
  `${'~'.repeat(63)}!`,
  '"'.repeat(64),
  '\\'.repeat(64),
];
