// Bundles the modules of each package into `dist/bundle`: one file per entry, and one for the modules that several
// entries share, so that every class exists only once. Otherwise Node would open, read and link hundreds of modules,
// which takes half of the time that core takes to load. Types are not bundled, nor are dependencies. Nothing is
// minified, and no code is removed: a bundler would remove calls that only check something and throw.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { entriesOf } from './package-entries.mjs';

// Makes stack traces name the sources, which are published, rather than the compiled modules, which are not.
const mappedToSources = {
  name: 'mapped-to-sources',
  load: {
    filter: { id: /[\\/]dist[\\/].*\.js$/ },
    handler: (id) => ({ code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }),
  },
};

// V8 keeps the source of a module in memory, and at two bytes a character if one of them is beyond Latin-1. Lines stay,
// so stack traces still name the right ones.
const escapedToAscii = {
  name: 'escaped-to-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      if (/\\[\u0080-\uffff]/.test(chunk.code))
        throw new Error(`${chunk.fileName} escapes a character beyond ASCII`);
      chunk.code = chunk.code.replace(/[\u0080-\uffff]/g, escaped);
    }
  },
};

const escaped = (codeUnit) => `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;

for (const name of readdirSync('packages')) {
  const dist = `packages/${name}/dist`;
  rmSync(`${dist}/bundle`, { recursive: true, force: true });
  const bundle = await rolldown({
    input: Object.fromEntries(entriesOf(name).map((entry) => [entry.name, entry.module])),
    // Not `node`, although the packages are for Node: rolldown would add helpers that use `import.meta`, which Jest
    // cannot compile to CommonJS. The helpers would stay even if unused, because no code is removed.
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
    plugins: [escapedToAscii],
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  });
  await bundle.close();
}

// The page of the starters, with the client, as a browser loads it.
const page = await rolldown({ input: 'examples/front-end/dist/main.js', platform: 'browser' });
await page.write({ file: 'examples/front-end/dist/bundle/main.js', format: 'esm' });
await page.close();
