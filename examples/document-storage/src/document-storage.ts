import { type Clock, systemClock } from '@latchhook/core';
import {
  type CasEngineOptions,
  casEngine,
  type FoundRow,
  type PartitionChange,
  rowOf,
  type SqlRow,
  type StorageEngine,
  sqlRowOf,
  type VersionedDatabase,
  type VersionedPartition,
} from '@latchhook/core/storage';

/** All rows of a partition in one document: CouchDB changes only single documents atomically. */
interface PartitionDocument {
  readonly version: number;
  /** The values are JSON with ASCII characters only because CouchDB rejects some strings. */
  readonly rows: readonly SqlRow[];
  /** When all rows have expired. `null`: some rows never expire. */
  readonly endsAtMs: number | null;
}

export type PartitionDatabase = PouchDB.Database<PartitionDocument>;

/** The prefix of ids of partitions because ids that begin with an underscore are reserved for CouchDB. */
const PREFIX = 'partition ';
/** After this many commits, documents in which all rows have expired are deleted. */
const COMMITS_PER_CLEANUP = 100;
/** How much longer than its rows a document is kept, ms: clocks of processes may differ by as much. */
const LARGEST_SKEW_MS = 1_000;

/** The map function of a view on an index over all partitions. It emits the sort keys of its rows. */
const indexView = (index: string): string => `function (document) {
  (document.rows || []).forEach(function (row) {
    var indexes = JSON.parse(row.indexes);
    if (!Object.hasOwnProperty.call(indexes, '${index}')) return;
    // In hexadecimal because CouchDB sorts strings by the rules of a language: \`a\` before \`B\`. Two digits for each
    // character, because sort keys have only letters, digits and punctuation of ASCII.
    var sortKey = '';
    for (var at = 0; at < indexes['${index}'].length; at += 1)
      sortKey += indexes['${index}'].charCodeAt(at).toString(16);
    emit(sortKey, row.key);
  });
}`;

const EXPIRY_VIEW = `function (document) {
  if (typeof document.endsAtMs === 'number') emit(document.endsAtMs, document._rev);
}`;

/**
 * Creates an engine on CouchDB, or on PouchDB, which has the same interface within this process. `storageOn` creates a
 * storage from the engine. Each partition is one document, which is replaced only if it still has the revision that was
 * read.
 *
 * A partition must fit into a document of a few megabytes, as the sessions of a user do, or the deliveries of an
 * account that publishes a few thousand messages a day.
 *
 * A commit that the network delays must not be applied after `untilMs`, when its caller has given up. PouchDB has no
 * network, so this is not checked here. On CouchDB, store `untilMs` in the document, and reject it by a function
 * `validate_doc_update` once `Date.now()` is later.
 */
export function documentEngine(
  database: PartitionDatabase,
  options: CasEngineOptions = {},
): StorageEngine {
  return casEngine(versionedDatabase(database, options.clock ?? systemClock), options);
}

function versionedDatabase(database: PartitionDatabase, clock: Clock): VersionedDatabase {
  let commits = 0;
  return {
    name: 'couchdb',

    async open(partition) {
      const versioned = await openPartition(database, partition);
      return {
        ...versioned,
        async commit(change) {
          const hasCommitted = await versioned.commit(change);
          commits += 1;
          // A failed cleanup must not fail the commit.
          if (commits % COMMITS_PER_CLEANUP === 0)
            await deleteExpired(database, clock).catch(() => {});
          return hasCommitted;
        },
      };
    },

    async find(index, { from = '', before, limit }) {
      const rows = await queryView(database, hexOf(index), indexView(index), {
        startkey: hexOf(from),
        // An object comes after all texts.
        endkey: before === undefined ? {} : hexOf(before),
        inclusive_end: false,
        include_docs: true,
        limit,
      });
      return rows.flatMap(({ id, value: key, doc }): FoundRow[] => {
        const row = doc?.rows.find((each) => each.key === String(key));
        // The row may have been deleted since the view was read.
        return row === undefined ? [] : [{ partition: id.slice(PREFIX.length), ...rowOf(row) }];
      });
    },
  };
}

async function openPartition(
  database: PartitionDatabase,
  partition: string,
): Promise<VersionedPartition> {
  const stored = await nullIfMissing(database.get(idOf(partition)));
  const rows = stored?.rows ?? [];
  return {
    version: stored?.version ?? 0,
    isSnapshot: true,
    get(key) {
      const row = rows.find((each) => each.key === key);
      return row === undefined ? null : rowOf(row);
    },
    // Returns all rows of the index: `casEngine` applies the range.
    range: (index) => rows.filter(({ indexes }) => indexes.includes(`"${index}":`)).map(rowOf),
    async commit(change) {
      const document = { _id: idOf(partition), ...applyChange(rows, change) };
      const put = database.put(stored === null ? document : { ...document, _rev: stored._rev });
      return (await nullIfConflict(put)) !== null;
    },
  };
}

function applyChange(
  oldRows: readonly SqlRow[],
  { version, nowMs, puts, deletes }: PartitionChange,
): PartitionDocument {
  const changedKeys = new Set([...deletes, ...puts.map(({ key }) => key)]);
  const expiryOf = ({ expiresAtMs }: SqlRow) => expiresAtMs ?? Number.POSITIVE_INFINITY;
  const remaining = oldRows.filter((row) => !changedKeys.has(row.key) && expiryOf(row) > nowMs);
  const rows = [...remaining, ...puts.map(sqlRowOf)];
  const endsAtMs = Math.max(nowMs, ...rows.map(expiryOf));
  return { version, rows, endsAtMs: Number.isFinite(endsAtMs) ? endsAtMs : null };
}

/** Queries a view. Creates it if it does not exist. */
async function queryView(
  database: PartitionDatabase,
  name: string,
  map: string,
  options: PouchDB.Query.Options<PartitionDocument, PartitionDocument>,
) {
  const query = () => database.query<PartitionDocument, PartitionDocument>(name, options);
  const result = await nullIfMissing(query());
  if (result !== null) return result.rows;
  const view = { _id: `_design/${name}`, views: { [name]: { map } } };
  await nullIfConflict((database as PouchDB.Database).put(view));
  return (await query()).rows;
}

async function deleteExpired(database: PartitionDatabase, clock: Clock): Promise<void> {
  const rows = await queryView(database, 'ends', EXPIRY_VIEW, {
    endkey: clock.nowMs() - LARGEST_SKEW_MS,
    limit: 2 * COMMITS_PER_CLEANUP,
  });
  for (const { id, value } of rows) await nullIfConflict(database.remove(id, String(value)));
}

function idOf(partition: string): string {
  return `${PREFIX}${partition}`;
}

function hexOf(sortKey: string): string {
  return Buffer.from(sortKey, 'ascii').toString('hex');
}

const nullIfMissing = <Result>(call: Promise<Result>) => nullIfStatus(404, call);
/** `null` if another client has replaced the document. */
const nullIfConflict = <Result>(call: Promise<Result>) => nullIfStatus(409, call);

async function nullIfStatus<Result>(status: number, call: Promise<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (Object(error).status === status) return null;
    throw error;
  }
}
