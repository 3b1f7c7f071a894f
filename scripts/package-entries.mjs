import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The entries in the `exports` of a package, with the paths that the compiler wrote for each. */
export function entriesOf(packageName) {
  const folder = join('packages', packageName);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.values(exports)
    .filter((target) => target.types !== undefined)
    .map((target) => ({
      // The name of the bundle that Node loads, such as `index` or `storage`.
      name: basename(target.default, '.js'),
      types: join(folder, target.types),
      module: join(folder, target.types.replace(/\.d\.ts$/, '.js')),
    }));
}
