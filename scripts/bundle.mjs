// Bundles each package's modules: one file per entry in `dist/bundle`, and one for what several of them share, so that
// every class is there once whichever entry it came by. Node opens, reads and links every imported module separately,
// and with hundreds of them that is half of the time that core takes to load. Types stay as the compiler wrote them,
// dependencies are not bundled, and nothing is minified. Nothing is left out either: what a bundler thinks to be
// without effect may be a check, such as a call that is there for what it throws.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { entriesOf } from './package-entries.mjs';

// Makes stack traces name the sources, which are in the package, rather than the compiled modules, which are not.
const mappedToSources = {
  name: 'mapped-to-sources',
  load: {
    filter: { id: /[\\/]dist[\\/].*\.js$/ },
    handler: (id) => ({ code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }),
  },
};

for (const name of readdirSync('packages')) {
  const dist = `packages/${name}/dist`;
  rmSync(`${dist}/bundle`, { recursive: true, force: true });
  const bundle = await rolldown({
    input: Object.fromEntries(entriesOf(name).map((entry) => [entry.name, entry.module])),
    // For Node nonetheless. As nothing is left out, the bundler's own helpers stay too, and those for `node` have an
    // `import.meta`, which Jest cannot compile to CommonJS.
    platform: 'neutral',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [mappedToSources],
    treeshake: false,
  });
  await bundle.write({
    dir: `${dist}/bundle`,
    format: 'esm',
    minify: false,
    sourcemap: true,
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  });
  await bundle.close();
}

// The page of the starters, with the client, as a browser loads it.
const page = await rolldown({ input: 'examples/front-end/dist/main.js', platform: 'browser' });
await page.write({ file: 'examples/front-end/dist/bundle/main.js', format: 'esm' });
await page.close();
