import { CONNREFUSED, promises as dns, type LookupAddress } from 'node:dns';
import { SendFault } from './send-fault.ts';

/** Resolves a name to all of its addresses. Rejects if there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

/** RFC 6761 6.3: no name server is asked for these names because its answer could not be trusted. */
const LOCALHOST = /(?:^|\.)localhost\.?$/i;

/**
 * Queries the system's name servers for A and AAAA records.
 *
 * It does not use `dns.lookup`, which occupies one of libuv's four threads until it has an answer: four names whose
 * servers never answer would stop every login of the process because password hashing uses the same threads. So
 * `/etc/hosts` and search domains do not apply; a receiver needs a name in the public DNS.
 */
export function createHostResolver(
  resolver: dns.Resolver = new dns.Resolver({ timeout: 2_000, tries: 2 }),
): ResolveHost {
  return async (hostname) => {
    if (LOCALHOST.test(hostname)) return [{ address: '127.0.0.1', family: 4 }];
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw toFault(v4.reason);
    // If one family failed, the addresses of the other are used: the caller checks every address. IPv4 comes first, so
    // that a host without IPv6 loses no time.
    return [...toAddresses(v4, 4), ...toAddresses(v6, 6)];
  };
}

function toAddresses(settled: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (settled.status === 'rejected') return [];
  return settled.value.map((address) => ({ address, family }));
}

function toFault(error: NodeJS.ErrnoException): SendFault {
  // If no name server could be reached, the receiver's name is not at fault.
  const sendError = error.code === CONNREFUSED ? 'sender_failed' : 'dns_failed';
  return new SendFault(sendError, { cause: error });
}
