// Compiles every ```ts block of the README files, of docs/ and of the TSDoc of the packages. A block whose first line
// is `// continues` is compiled together with the one before it. The oldest TypeScript that apps may have compiles them
// too, with the built packages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './files-below.mjs';

// Below test/, where all packages and frameworks resolve by name.
const folder = 'test/.snippets';

const compilerOptions = {
  // Snippets need not use every value that they show how to get. All else is as strict as a reader's compiler may be.
  noUnusedLocals: false,
  noUnusedParameters: false,
};

/** As an app has them. It knows neither the sources of the packages nor the newest options. */
const oldestOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
};

/** @returns the programs of a file, each with all lines blank that are not in its `ts` blocks. */
function programsOf(path) {
  const programs = [];
  let current;
  let inside = false;
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.forEach((line, index) => {
    const text = path.endsWith('.ts') ? line.replace(/^\s*\* ?/, '') : line;
    if (!inside && /^\s*```ts\b/.test(text)) {
      if (text.trim() !== '```ts')
        throw new Error(`${path}:${index + 1}: a ts block has no options`);
      inside = true;
      if (current === undefined || lines[index + 1]?.trim().endsWith('// continues') !== true) {
        current = { line: index + 1, code: [] };
        programs.push(current);
      }
    } else if (inside && /^\s*```/.test(text)) {
      inside = false;
    } else if (inside) {
      // At its own line number, so that the compiler reports positions in the document.
      current.code[index] = text;
    }
  });
  return programs;
}

function documents() {
  const readmes = filesBelow('packages').filter((path) => path.endsWith('/README.md'));
  const sources = filesBelow('packages').filter((path) => /\/src\/.*(?<!\.test)\.ts$/.test(path));
  const docs = existsSync('docs') ? filesBelow('docs').filter((path) => path.endsWith('.md')) : [];
  const root = ['README.md'].filter((path) => existsSync(path));
  // Reports of the public interface are declarations, not snippets.
  return [...root, ...docs.filter((path) => !path.endsWith('.api.md')), ...readmes, ...sources];
}

/** A flat name that the path of the document can be read from: no document has a `~` in its path. */
const fileName = (path, line) => `${path.replaceAll('/', '~')}~${line}.ts`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const files = { include: ['*.ts'], exclude: [] };
const configs = {
  'tsconfig.json': { extends: '../tsconfig.json', compilerOptions, ...files },
  'oldest.json': { compilerOptions: oldestOptions, ...files },
};
for (const [name, config] of Object.entries(configs)) {
  writeFileSync(join(folder, name), JSON.stringify(config));
}
const programs = documents().flatMap((path) =>
  programsOf(path).map(({ line, code }) => ({ path, line, code })),
);
for (const { path, line, code } of programs) {
  // `export {}` makes a module of it, so that top-level await and equal names in two snippets are allowed.
  const source = `${Array.from(code, (text) => text ?? '').join('\n')}\nexport {};\n`;
  writeFileSync(join(folder, fileName(path, line)), source);
}

/** @returns whether all snippets compile */
function compiles(compiler, config) {
  const args = [compiler, '-p', join(folder, config), '--pretty', 'false'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  process.stderr.write(
    stdout.replaceAll(/^.*\.snippets\/(.*)~\d+\.ts\((\d+),(\d+)\)/gm, (_, name, line, column) =>
      [name.replaceAll('~', '/'), line, column].join(':'),
    ),
  );
  return status === 0;
}

const results = [
  compiles('node_modules/typescript/bin/tsc', 'tsconfig.json'),
  compiles('tools/node_modules/typescript-oldest/bin/tsc', 'oldest.json'),
];
process.exitCode = results.includes(false) ? 1 : 0;
console.log(`${programs.length} snippets compiled`);
