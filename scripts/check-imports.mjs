// Checks the rules about imports in ARCHITECTURE.md: a package imports another by its name only, and of core only the
// entries that are for it; inside core and delivery imports point downward. biome finds cycles, knip finds undeclared
// dependencies, and the compiler rejects imports of what a package does not export.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesBelow } from './files-below.mjs';

/** From the bottom up: a file may import its own layer and those before it. The longest prefix counts. */
const layersOf = {
  'packages/core/src': [
    ['errors.ts'],
    [
      'account-id.ts',
      'account-id-mistakes.ts',
      'account-name.ts',
      'maybe-promise.ts',
      'scopes/',
      'webhook-events.ts',
      'http/messages.ts',
      'assert-names.ts',
      'bounded-integer.ts',
      'day.ts',
      'json/',
      'linked-list.ts',
      'missing-methods.ts',
      'loading/',
      'random-id.ts',
      'unchecked-fields.ts',
      'warning.ts',
    ],
    ['policy.ts', 'client-info/', 'faults/', 'ports/', 'storage/'],
    ['keys/'],
    ['mfa/', 'passwords/', 'schema/', 'sessions/', 'throttle/', 'tokens/', 'users/'],
    ['webhooks/events/', 'webhooks/secrets/'],
    ['webhooks/deliveries/'],
    ['webhooks/urls/'],
    ['webhooks/publishing/'],
    ['webhooks/registry/'],
    ['webhooks/control/'],
    ['webhooks/'],
    ['grants/'],
    ['personal-access-tokens/'],
    ['introspection-and-revocation/'],
    ['bearer/', 'cookies/', 'http/', 'routes/'],
    ['readiness/'],
    ['auth.ts', 'auth-options.ts', 'delivery-context-options.ts', 'options/'],
    ['create-auth.ts', 'create-delivery-context.ts'],
    ['index.ts', 'entries/'],
  ],
  'packages/delivery/src': [
    ['retry-schedule.ts', 'sending-options.ts'],
    ['send/'],
    ['worker/'],
    ['in-process-worker.ts'],
    ['create-delivery-worker.ts'],
    ['index.ts'],
  ],
};

/** Which entries of core a package may import, besides `.`. Telemetry wraps everything, so it may import all. */
const coreEntriesOf = {
  'packages/delivery': ['delivery', 'storage'],
  'packages/express': ['adapter'],
  'packages/koa': ['adapter'],
  'packages/mysql': ['storage'],
  'packages/opentelemetry': ['adapter', 'delivery', 'storage'],
  'packages/postgres': ['storage'],
  'packages/redis': ['storage'],
  'packages/sqlite': ['storage'],
  // `delivery`, because its virtual time drives the timers of workers too.
  'packages/testkit': ['delivery', 'storage'],
};

/** The index of the layer of a path, such as `http/messages.ts`; undefined if the path is in no layer. */
function layerOf(layers, path) {
  const prefixes = layers.flat().filter((prefix) => path.startsWith(prefix));
  const longest = prefixes.sort((a, b) => b.length - a.length)[0];
  const layer = layers.findIndex((one) => one.includes(longest));
  return layer === -1 ? undefined : layer;
}

function importsOf(file) {
  const source = readFileSync(file, 'utf8');
  const statements = source.matchAll(
    /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*['"]([^'"]+)['"]/gm,
  );
  const calls = source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  return [...statements, ...calls].map(([, specifier]) => specifier);
}

/** @returns what is wrong with one import, or undefined. */
function faultOf(file, specifier) {
  if (!specifier.startsWith('.')) return faultOfEntry(file, specifier);

  const target = join(dirname(file), specifier);
  // `packages/core/src/errors.ts` is in `packages/core`; everything below `test/` is one package.
  const depth = file.startsWith('test/') ? 1 : 2;
  const root = file.split('/').slice(0, depth).join('/');
  if (!target.startsWith(`${root}/`)) return 'leaves its package: import the other by its name';

  const [base, layers] = Object.entries(layersOf).find(([one]) => file.startsWith(`${one}/`)) ?? [];
  if (base === undefined || /\.test(\.support)?\.ts$/.test(file)) return undefined;
  const from = layerOf(layers, relative(base, file));
  const to = layerOf(layers, relative(base, target));
  if (from === undefined || to === undefined)
    return 'is to or from a file that has no layer in scripts/check-imports.mjs';
  return to > from ? 'points upward' : undefined;
}

function faultOfEntry(file, specifier) {
  const [, entry] = specifier.match(/^@latchhook\/core\/(.+)$/) ?? [];
  const allowed = coreEntriesOf[file.split('/').slice(0, 2).join('/')];
  if (entry === undefined || allowed === undefined || allowed.includes(entry)) return undefined;
  return 'is not an entry for this package: see scripts/check-imports.mjs';
}

const faults = ['packages', 'examples', 'test']
  .flatMap(filesBelow)
  .filter((path) => path.endsWith('.ts'))
  .flatMap((file) =>
    importsOf(file).flatMap((specifier) => {
      const fault = faultOf(file, specifier);
      return fault === undefined ? [] : [`${file}: '${specifier}' ${fault}`];
    }),
  );

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
