import type { Rows, StorageEngine } from '@latchhook/core/storage';
import type { CallLog } from './call-log.ts';

/** The engine, with all calls of it and of the rows that it hands out in the log. */
export function loggedEngine(engine: StorageEngine, log: CallLog): StorageEngine {
  return {
    name: engine.name,
    now: () => log.answered('now', [], () => engine.now()),
    find: (index, request) =>
      log.answered('find', [index, request], () => engine.find(index, request)),
    transact(partition, work, firstKey) {
      const id = log.nextTransaction();
      const logged: typeof work = (rows, nowMs) => {
        log.note(`[${id}] work is run at ${nowMs}`);
        return work(loggedRows(rows, id, log), nowMs);
      };
      return log.answered(`[${id}] transact`, [partition], () =>
        engine.transact(partition, logged, firstKey),
      );
    },
  };
}

function loggedRows(rows: Rows, id: number, log: CallLog): Rows {
  return {
    get: (key) => log.answered(`[${id}] get`, [key], () => rows.get(key)),
    range: (index, request) =>
      log.answered(`[${id}] range`, [index, request], () => rows.range(index, request)),
    put: (row) => log.answered(`[${id}] put`, [row], () => rows.put(row)),
    delete: (key) => log.answered(`[${id}] delete`, [key], () => rows.delete(key)),
  };
}
