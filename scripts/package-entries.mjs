import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The entries of a package, as its `exports` name them, with what the compiler wrote for each. */
export function entriesOf(packageName) {
  const folder = join('packages', packageName);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.values(exports)
    .filter((target) => target.types !== undefined)
    .map((target) => ({
      // `index`, and for others the name of their file: the one that `exports` gives to Node.
      name: basename(target.default, '.js'),
      types: join(folder, target.types),
      module: join(folder, target.types.replace(/\.d\.ts$/, '.js')),
    }));
}
