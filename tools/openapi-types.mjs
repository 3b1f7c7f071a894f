// Compares the types of the routes that the client has with docs/api/openapi.json: `node tools/openapi-types.mjs`;
// `--update` writes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const root = new URL('../', import.meta.url);
const file = new URL('packages/client/src/generated/openapi.ts', root);

const types = astToString(
  await openapiTS(new URL('docs/api/openapi.json', root), {
    immutable: true,
    defaultNonNullable: false,
  }),
);
const described = `// Made of docs/api/openapi.json by tools/openapi-types.mjs: pnpm api:update.\n\n${types}`;

if (process.argv.includes('--update')) writeFileSync(file, described);
else if (readFileSync(file, 'utf8') !== described) {
  console.error(`${fileURLToPath(file)} is not what docs/api/openapi.json says: pnpm api:update`);
  process.exitCode = 1;
}
