// A process that stores the sessions of its standard input in the file of its argument, and kills itself right before
// it commits the last session.
import { json } from 'node:stream/consumers';
import { sqliteStorage } from '@latchhook/sqlite';
import { openSqlite } from '../support/storage/open-sqlite.mjs';

const database = openSqlite(process.argv[2]);
const sessions = await json(process.stdin);
let left = sessions.length;
const watched = {
  prepare: (text) => database.prepare(text),
  exec(script) {
    if (script === 'COMMIT') left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return database.exec(script);
  },
};
const storage = sqliteStorage({ database: watched });
for (const session of sessions) await storage.sessions.create(session, { maxPerUser: 10 });
