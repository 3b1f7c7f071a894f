import { createRequire } from 'node:module';

const peerRequire = createRequire(new URL('../peers/package.json', import.meta.url));

/** A package of `peers/`, or `null` if it is not installed. */
export function peer(name) {
  return hasPeer(name) ? peerRequire(name) : null;
}

/** Whether a package of `peers/` is installed. */
export function hasPeer(name) {
  try {
    peerRequire.resolve(name);
    return true;
  } catch {
    return false;
  }
}
