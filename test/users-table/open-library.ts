import { inject, onTestFinished } from 'vitest';
import { createUsersTables, LIBRARIES, type Library, type UsersTables } from './users-tables.ts';

const url = inject('postgresUrl');

/** Whether there is a PostgreSQL to test on. */
export const HAS_POSTGRES: boolean = url !== null;

export const LIBRARY_NAMES: readonly string[] = Object.keys(LIBRARIES);

/** Opens a library on new tables, until the end of the test. */
export async function openLibrary(name: string): Promise<Library & { tables: UsersTables }> {
  const connect = LIBRARIES[name];
  if (url === null || connect === undefined) throw new Error(`nothing to open ${name} on`);
  const tables = await createUsersTables(url);
  onTestFinished(() => tables.drop());
  const library = connect(url, tables.schema);
  onTestFinished(() => library.close());
  return { ...library, tables };
}
