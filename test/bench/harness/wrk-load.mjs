import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPinned } from './pinned-process.mjs';

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** {@link load} by `wrk`, in one thread. */
export async function wrkLoad(server, request, { connections, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'latchhook-bench-'));
  try {
    const child = startPinned(
      'client',
      [
        ...['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s'],
        ...['-s', script, server.url + request.path],
      ],
      wrkEnvironment(request, join(folder, 'tokens')),
    );
    return await readReport(child);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function wrkEnvironment({ method, type, bearer, headers = {}, body, tokens }, tokensFile) {
  const environment = { LOAD_METHOD: method };
  if (type !== undefined) environment.LOAD_TYPE = type;
  if (bearer !== undefined) environment.LOAD_AUTHORIZATION = `Bearer ${bearer}`;
  environment.LOAD_HEADERS = Object.entries(headers)
    .map((pair) => pair.join(': '))
    .join('\n');
  if (body !== undefined) environment.LOAD_BODY = body;
  if (tokens !== undefined) {
    writeFileSync(tokensFile, `${tokens.values.join('\n')}\n`);
    environment.LOAD_TOKENS = tokensFile;
    environment.LOAD_TOKEN_USE = tokens.use;
  }
  return environment;
}

function readReport(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      const report = /^REPORT (.*)$/m.exec(output)?.[1];
      if (code !== 0 || report === undefined)
        reject(new Error(`wrk ended with ${code}: ${output}`));
      else resolve(JSON.parse(report));
    });
  });
}
