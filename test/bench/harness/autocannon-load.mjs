import { peer } from './peer.mjs';

/** {@link load} by autocannon, in this process: for machines without `wrk`. It takes more of the client's CPU. */
export async function autocannonLoad(server, request, { connections, seconds }) {
  const autocannon = peer('autocannon');
  if (autocannon === null) {
    throw new Error(
      'found neither wrk nor autocannon: install wrk, or run npm install in test/bench/peers',
    );
  }
  const result = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    requests: [autocannonRequest(request)],
  });
  return {
    requests: result.requests.total,
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
  };
}

function autocannonRequest({ method, path, type, bearer, headers: further, body, tokens }) {
  const headers = { ...further };
  if (type !== undefined) headers['content-type'] = type;
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  const fixed = { method, path, headers, body };
  if (tokens === undefined) return fixed;

  const supply = tokenSupply(tokens);
  return {
    ...fixed,
    setupRequest: (next) => {
      const token = supply.take();
      if (body?.includes('{token}')) {
        return { ...next, body: body.replace('{token}', encodeURIComponent(token)) };
      }
      const filled = Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('{token}', token),
      ]);
      return { ...next, headers: Object.fromEntries(filled) };
    },
    onResponse: (_status, answer, _context, answered) =>
      supply.putBack(`${answer} ${JSON.stringify(answered)}`),
  };
}

/** In a body, or in a cookie. */
const SUCCESSOR = /(?:"refresh_token"\s*:\s*"|__Host-latchhook-refresh=)([\w.~-]+)/;

function tokenSupply({ values, use }) {
  const pool = [...values];
  if (use === 'spend') {
    return {
      take: () => pool.pop() ?? 'none-left',
      putBack: (answer) => {
        const successor = SUCCESSOR.exec(answer)?.[1];
        if (successor !== undefined) pool.push(successor);
      },
    };
  }
  let position = 0;
  return { take: () => pool[position++ % pool.length], putBack: () => {} };
}
