/**
 * The sentences of the contract of engines that test cases prove, word for word as in `StorageEngine`. A failure cites
 * the sentence that is broken.
 */
export const CONTRACT = {
  names:
    'The `key`, and the names and sort keys of `indexes`, have 1 to 128 characters of `A-Z`, `a-z`, `0-9` and `_ - / :`, and are compared by their bytes.',
  partitions: 'The name of a partition has the same characters as a key; partitions share no rows',
  value: 'A JSON value, which is read back as `JSON.parse` returns it. Up to 1 MiB of JSON.',
  indexes: 'By index, the sort key of the row. Several rows may have the same sort key.',
  expiry:
    'When the row expires, by the clock of the engine, ms. The engine may delete the row from then on',
  order:
    'the rows of an index, each once, sorted by sort key; rows of the same sort key in any order.',
  from: 'The first sort key (inclusive).',
  before: 'The end of the range (exclusive).',
  limit: 'The largest number of rows, from the first of the range on.',
  all: 'Returns all rows of the range, however many there are.',
  visible:
    'The rows of one partition, as a transaction sees them: with its own writes, and those of all transactions that committed before it began.',
  together:
    'Called several times at once for keys that are known together, so that one request can read them.',
  put: 'Inserts the row, or replaces the whole row with this key. Later changes of the passed object have no effect.',
  delete: 'Deletes the row with this key, if there is one.',
  result: 'resolves to its result, unchanged, once its writes have committed.',
  unsure: 'Rejects unless it is certain that all writes of `work` have committed.',
  atomic: 'Atomicity: all writes of `work` are committed, or none.',
  thrown: 'If `work` throws, no write is committed, and this rejects with the same error.',
  serialisable: 'the transactions of one partition have the effect of running one after the other.',
  again: 'it may be run any number of times, each time on committed rows',
  ends: 'any number of transactions may be started at once, and all of them end.',
  time: 'gets the time, in whole ms since 1970, read after the lock was granted',
  found: 'It finds every row that was committed at least a second ago, and no uncommitted one.',
  now: 'The current time of transactions, ms.',
} as const;

export type Rule = (typeof CONTRACT)[keyof typeof CONTRACT];
