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

/** All rows of a partition: CouchDB changes one document at a time, so that what changes together is one. */
interface PartitionDocument {
  readonly version: number;
  /** Values are JSON of ASCII alone, as CouchDB rejects some texts. */
  readonly rows: readonly SqlRow[];
  /** From when on nothing of it counts any more. `null`: some rows never expire. */
  readonly endsAtMs: number | null;
}

export type PartitionDatabase = PouchDB.Database<PartitionDocument>;

/** Every how many commits documents whose rows have all expired are deleted. */
const FORGET_EVERY = 100;

/**
 * Where rows of an index are; made when they are first looked for, as most indexes are read within a partition alone.
 */
const placesOf = (index: string): string => `function (document) {
  (document.rows || []).forEach(function (row) {
    var indexes = JSON.parse(row.indexes);
    if (!Object.hasOwnProperty.call(indexes, '${index}')) return;
    // In hexadecimal: CouchDB sorts texts by a language, in which \`a\` comes before \`B\`.
    var place = '';
    for (var at = 0; at < indexes['${index}'].length; at += 1)
      place += indexes['${index}'].charCodeAt(at).toString(16);
    emit(place, row.key);
  });
}`;

const ENDS = `function (document) {
  if (typeof document.endsAtMs === 'number') emit(document.endsAtMs, document._rev);
}`;

/**
 * An engine on CouchDB, or on PouchDB, which is the same in this process: `storageOn` makes a storage of it. Each
 * partition is one document, replaced only if its revision is still the one that was read.
 *
 * A partition has to fit into a document, of some megabytes: sessions of a user do, and the deliveries of an account
 * that publishes some thousand messages a day.
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
      const opened = await openedIn(database, partition);
      return {
        ...opened,
        async commit(change) {
          const hasCommitted = await opened.commit(change);
          commits += 1;
          // What has committed has, though this should fail.
          if (commits % FORGET_EVERY === 0) await forgetEnded(database, clock).catch(() => {});
          return hasCommitted;
        },
      };
    },

    async find(index, { from = '', before, limit }) {
      const rows = await lookUp(database, hexOf(index), placesOf(index), {
        startkey: hexOf(from),
        endkey: before === undefined ? {} : hexOf(before),
        inclusive_end: false,
        include_docs: true,
        limit,
      });
      return rows.flatMap(({ id, value: key, doc }): FoundRow[] => {
        const row = doc?.rows.find((each) => each.key === String(key));
        // It has changed since it was found.
        return row === undefined ? [] : [{ partition: id.slice(PREFIX.length), ...rowOf(row) }];
      });
    },
  };
}

async function openedIn(
  database: PartitionDatabase,
  partition: string,
): Promise<VersionedPartition> {
  const stored = await unlessMissing(database.get(idOf(partition)));
  const rows = stored?.rows ?? [];
  return {
    version: stored?.version ?? 0,
    isSnapshot: true,
    get(key) {
      const row = rows.find((each) => each.key === key);
      return row === undefined ? null : rowOf(row);
    },
    // The rest is left out by `casEngine`.
    range: (index) => rows.filter(({ indexes }) => indexes.includes(`"${index}":`)).map(rowOf),
    async commit(change) {
      const document = { _id: idOf(partition), ...changed(rows, change) };
      const put = database.put(stored === null ? document : { ...document, _rev: stored._rev });
      return (await unlessConflict(put)) !== null;
    },
  };
}

function changed(
  former: readonly SqlRow[],
  { version, nowMs, puts, deletes }: PartitionChange,
): PartitionDocument {
  const gone = new Set([...deletes, ...puts.map(({ key }) => key)]);
  const endOf = ({ expiresAtMs }: SqlRow) => expiresAtMs ?? Number.POSITIVE_INFINITY;
  const kept = former.filter((row) => !gone.has(row.key) && endOf(row) > nowMs);
  const rows = [...kept, ...puts.map(sqlRowOf)];
  const endsAtMs = Math.max(nowMs, ...rows.map(endOf));
  return { version, rows, endsAtMs: Number.isFinite(endsAtMs) ? endsAtMs : null };
}

/** Asks a view, and makes it where it is missing. */
async function lookUp(
  database: PartitionDatabase,
  name: string,
  map: string,
  options: PouchDB.Query.Options<PartitionDocument, PartitionDocument>,
) {
  const ask = () => database.query<PartitionDocument, PartitionDocument>(name, options);
  const known = await unlessMissing(ask());
  if (known !== null) return known.rows;
  const view = { _id: `_design/${name}`, views: { [name]: { map } } };
  await unlessConflict((database as PouchDB.Database).put(view));
  return (await ask()).rows;
}

async function forgetEnded(database: PartitionDatabase, clock: Clock): Promise<void> {
  const rows = await lookUp(database, 'ends', ENDS, {
    endkey: clock.nowMs(),
    limit: 2 * FORGET_EVERY,
  });
  for (const { id, value } of rows) await unlessConflict(database.remove(id, String(value)));
}

/** Ids that begin with an underscore are CouchDB's own. */
const PREFIX = 'partition ';

function idOf(partition: string): string {
  return `${PREFIX}${partition}`;
}

function hexOf(place: string): string {
  return Buffer.from(place, 'ascii').toString('hex');
}

const unlessMissing = <Result>(call: Promise<Result>) => unless(404, call);
/** `null` where somebody else was quicker. */
const unlessConflict = <Result>(call: Promise<Result>) => unless(409, call);

async function unless<Result>(status: number, call: Promise<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (Object(error).status === status) return null;
    throw error;
  }
}
