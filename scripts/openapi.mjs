// Compares docs/api/openapi.json with what `GET /openapi.json` answers: `node scripts/openapi.mjs`; `--update` writes it.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createAuth } from '../packages/core/dist/bundle/index.js';

const FILE = 'docs/api/openapi.json';

const users = { findByUsername: async () => null, findById: async () => null };
const auth = createAuth({
  issuer: 'https://api.example.com',
  users,
  keys: {
    signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    refreshSecrets: [randomBytes(32)],
    encryption: [randomBytes(32)],
  },
  mfa: { enrolment: true },
  webhooks: { worker: false },
  environment: 'development',
});
const { body } = await auth.http.handle({
  method: 'GET',
  path: '/openapi.json',
  mountPath: '',
  query: '',
  headers: {},
  authorization: undefined,
  body: { kind: 'none' },
  remoteAddress: undefined,
});
const described = `${JSON.stringify(JSON.parse(body), null, 2)}\n`;

if (process.argv.includes('--update')) writeFileSync(FILE, described);
else if (readFileSync(FILE, 'utf8') !== described) {
  console.error(
    `${FILE} is not what the routes answer: run pnpm api:update, and look at the change.`,
  );
  process.exitCode = 1;
}
