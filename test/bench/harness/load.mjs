import { autocannonLoad } from './autocannon-load.mjs';
import { hasCommand } from './command.mjs';
import { wrkLoad } from './wrk-load.mjs';

/** The program that makes the load: `wrk`, which costs the least CPU, or else autocannon. */
export const loadGenerator = hasCommand('wrk') ? 'wrk' : 'autocannon';

/**
 * Keeps `connections` requests in flight for `seconds`.
 *
 * @param request what grants.mjs makes, with a `tokens` supply where it says `{token}`:
 *   `{values, use}`. `cycle` goes round the values; `spend` takes a refresh token from the pool and puts the
 *   next one from the answer in its place, so that a server that does not rotate rightly fails its requests.
 * @returns `{requests, perSecond, p50Ms, p99Ms, failed}`, where `perSecond` counts what succeeded alone
 */
export const load = loadGenerator === 'wrk' ? wrkLoad : autocannonLoad;
