// Checks what `@latchhook/client` adds to a page: its main entry as a bundler would ship it.
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const MAX_BYTES = 4096;

const bundle = await rolldown({ input: 'packages/client/dist/bundle/index.js' });
const { output } = await bundle.generate({ format: 'esm', minify: true });
await bundle.close();
const bytes = gzipSync(output[0].code, { level: 9 }).length;
console.log(`${bytes} bytes, minified and gzipped`);
if (bytes > MAX_BYTES) {
  console.error(`packages/client has ${bytes} bytes, at most ${MAX_BYTES}`);
  process.exitCode = 1;
}
