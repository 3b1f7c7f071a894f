// Sends GET /me over 8 connections for some seconds, and prints the latencies. It is a separate process, because the
// process of the test is busy with the flood and would measure itself.
//
//     node bearer-load.mjs <url> <access token> <seconds>
import { Agent, get } from 'node:http';

const CONNECTIONS = 8;
const PAUSE_MS = 5;

const [url, accessToken, seconds] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const endsAtMs = performance.now() + Number(seconds) * 1000;
const tookMs = [];
let rejected = 0;

async function load() {
  while (performance.now() < endsAtMs) {
    const startedAtMs = performance.now();
    const status = await ask();
    tookMs.push(performance.now() - startedAtMs);
    if (status !== 200) rejected += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function ask() {
  const headers = { authorization: `Bearer ${accessToken}` };
  return new Promise((resolve, reject) => {
    get(`${url}/me`, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}

await Promise.all(Array.from({ length: CONNECTIONS }, load));
agent.destroy();
tookMs.sort((a, b) => a - b);
const percentile = (share) =>
  tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))];
process.stdout.write(
  JSON.stringify({
    checks: tookMs.length,
    rejected,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    slowestMs: tookMs.at(-1),
  }),
);
