import type { Rows, StorageEngine } from '@latchhook/core/storage';
import type { CallLog } from './call-log.ts';

/** The engine, with all calls of it and of the rows of transactions in the log. */
export function loggedEngine(engine: StorageEngine, log: CallLog): StorageEngine {
  return {
    name: engine.name,
    now: () => log.logged('now', [], () => engine.now()),
    find: (index, request) =>
      log.logged('find', [index, request], () => engine.find(index, request)),
    transact(partition, work, firstKey) {
      const id = log.nextTransaction();
      const loggedWork: typeof work = (rows, nowMs) => {
        log.add(`[${id}] work is run at ${nowMs}`);
        return work(loggedRows(rows, id, log), nowMs);
      };
      return log.logged(`[${id}] transact`, [partition], () =>
        engine.transact(partition, loggedWork, firstKey),
      );
    },
  };
}

function loggedRows(rows: Rows, id: number, log: CallLog): Rows {
  return {
    get: (key) => log.logged(`[${id}] get`, [key], () => rows.get(key)),
    range: (index, request) =>
      log.logged(`[${id}] range`, [index, request], () => rows.range(index, request)),
    put: (row) => log.logged(`[${id}] put`, [row], () => rows.put(row)),
    delete: (key) => log.logged(`[${id}] delete`, [key], () => rows.delete(key)),
  };
}
