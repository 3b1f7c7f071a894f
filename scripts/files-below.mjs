import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const generated = /(^|\/)(node_modules|dist|coverage|\.snippets)(\/|$)/;

/** Paths of the files below a folder, relative to the repository, without dependencies and build output. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !generated.test(path));
}
