import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** Serves a request listener on a free loopback port, and prints the ready line. */
export function serve(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
  });
  process.on('SIGTERM', () => process.exit(0));
  return server;
}

/** The password check that `BENCH_PASSWORD_CHECK` asks for: argon2id at the candidates' cost, or a bare compare. */
export async function passwordCheck() {
  const { BENCH_PASSWORD: password, BENCH_PASSWORD_CHECK: kind } = process.env;
  if (kind === 'plain') return (given) => same(given, password);
  const { default: argon2 } = await import('argon2');
  const hash = await argon2.hash(password, {
    type: argon2.argon2id,
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
  });
  return (given) => argon2.verify(hash, given);
}

/** Compares two secrets in constant time. */
export function same(given, wanted) {
  const a = Buffer.from(given ?? '');
  const b = Buffer.from(wanted);
  return a.length === b.length && timingSafeEqual(a, b);
}
