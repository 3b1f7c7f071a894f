/**
 * The sentences of the contract of engines that claims prove, word for word as `StorageEngine` has them: what fails
 * cites the one that it breaks.
 */
export const CONTRACT = {
  names:
    '`key`, and the names and places of `indexes`, are 1 to 128 characters of `A-Z`, `a-z`, `0-9` and `_ - / :`, compared by their bytes',
  partitions: 'A partition is named as a key is, and shares no rows with others.',
  value:
    'What `JSON.stringify` can carry, and comes back as `JSON.parse` answers it. Up to 1 MiB of JSON.',
  indexes: 'The place of the row in each index that it is in. Several rows may have the same.',
  expiry: 'From this time on, by the clock of the engine, it may forget the row, and need not',
  order:
    'The rows of an index, each once, in the order of their places; rows of the same place in any.',
  from: 'Only places from this one on.',
  before: 'Only places before this one.',
  limit: 'How many at most: the first of them.',
  all: 'All of them, however many there are.',
  visible:
    'The rows of one partition, as a transaction sees them: its own writes, and those of all transactions that have committed before it began.',
  put: 'In place of the row with this key, of which nothing stays. The row is taken as it is at the call.',
  delete: 'Does nothing where there is no such row.',
  answer: 'resolves to what it answers, as it is, once its writes have committed.',
  unsure: 'Rejects where it cannot know that they have.',
  atomic: 'Atomicity: all of its writes, or none',
  thrown: 'none where `work` throws, which rejects with the same error.',
  serialisable: 'transactions of one partition are as if one came after the other.',
  again: 'it may be run any number of times, each on what has committed',
  ends: 'any number may be called at once, and all of them end.',
  time: 'is given the time, ms since 1970, whole: read after the lock was granted',
  found:
    'Rows of an index over all partitions, in the order of their places. What has committed a second ago is found, and nothing that never has',
  now: 'The time that transactions are given, ms.',
} as const;

export type Rule = (typeof CONTRACT)[keyof typeof CONTRACT];
