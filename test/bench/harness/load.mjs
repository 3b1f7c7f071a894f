import { autocannonLoad } from './autocannon-load.mjs';
import { hasCommand } from './command.mjs';
import { wrkLoad } from './wrk-load.mjs';

/** The program that makes the load: `wrk`, which costs the least CPU, or else autocannon. */
export const loadGenerator = hasCommand('wrk') ? 'wrk' : 'autocannon';

/**
 * Keeps `connections` requests in flight for `seconds`.
 *
 * @param request as grants.mjs makes it, with further `headers`. If its body, token or cookie contains `{token}`, it
 *   has a supply `tokens: {values, use}`. `cycle` repeats the values in turn. `spend` takes a refresh token from the
 *   pool and puts its successor back, so that requests fail on a server that does not rotate correctly.
 * @returns `{requests, perSecond, p50Ms, p99Ms, failed}`, where `perSecond` counts only requests that succeeded
 */
export const load = loadGenerator === 'wrk' ? wrkLoad : autocannonLoad;
