import { warn } from '../warning.ts';

/** Resolves to the path of a copy of this package. */
type Locate = () => Promise<string>;

const COPIES: unique symbol = Symbol.for('@latchhook/core');

const locate: Locate = async () => (await import('#dependencies')).here();

/**
 * Warns where this process has loaded another copy of core: an app and a storage of different versions, or a bundle of
 * which a part was left outside. An error of one copy is no instance of the other's class, and each has its own caches.
 */
async function warnOfCopies(copies: readonly Locate[]): Promise<void> {
  const paths = new Set(await Promise.all(copies.map((one) => one())));
  // One file may be evaluated again, as by a test runner.
  if (paths.size < 2) return;
  warn(
    'LATCHHOOK_COPIES',
    `this process has loaded @latchhook/core more than once, from ${[...paths].join(' and ')}: classes of errors differ between them. Install one version for all packages of @latchhook, and bundle all of them or none`,
  );
}

const shared: { [COPIES]?: Locate[] } = Object(globalThis);
const copies = shared[COPIES] ?? [];
shared[COPIES] = copies;
copies.push(locate);
if (copies.length > 1) warnOfCopies(copies).catch(() => {});
