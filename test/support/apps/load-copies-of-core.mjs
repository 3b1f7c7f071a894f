// Loads core, and the copy of it whose folder is the first argument. Prints the warnings.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import '@latchhook/core';
import '@latchhook/core/storage';

const warnings = [];
process.on('warning', ({ code, message }) => warnings.push({ code, message }));
const [folder] = process.argv.slice(2);
if (folder !== undefined) {
  await import(pathToFileURL(join(folder, 'dist/bundle/storage.js')));
  await import(pathToFileURL(join(folder, 'dist/bundle/index.js')));
}
// The warning comes once the paths of the copies are known.
process.on('exit', () => process.stdout.write(JSON.stringify(warnings)));
