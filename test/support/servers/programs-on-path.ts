import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The paths of these programs on PATH: all of the first name, then all of the next. */
export function programsOnPath(names: readonly string[]): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
