import { warn } from '../warning.ts';

/** Resolves to the path of a copy of core. */
type Locate = () => Promise<string>;

const COPIES: unique symbol = Symbol.for('@latchhook/core');

const locate: Locate = async () => (await import('#dependencies')).here();

/**
 * Warns if this process has loaded several copies of core: the app and a storage have different versions of it, or only
 * a part of the packages was bundled. An error of one copy is not an instance of the class of another copy, and each
 * copy has its own caches.
 */
async function warnOfCopies(copies: readonly Locate[]): Promise<void> {
  const paths = new Set(await Promise.all(copies.map((locateCopy) => locateCopy())));
  // A test runner may evaluate one file several times.
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
