import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a command can be found on the PATH. */
export function hasCommand(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
