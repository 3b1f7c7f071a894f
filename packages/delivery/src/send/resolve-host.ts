import { CONNREFUSED, promises as dns, type LookupAddress } from 'node:dns';
import { SendFault } from './send-fault.ts';

/** All addresses of a name. Rejects where there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

/** RFC 6761 6.3: never asked of a name server, which could say anything. */
const LOCALHOST = /(?:^|\.)localhost\.?$/i;

/**
 * Asks the name servers of the system for A and AAAA.
 *
 * Not `dns.lookup`: it takes one of libuv's four threads until it has an answer, and four names whose servers never
 * answer would halt every login of the process. So `/etc/hosts` and search domains do not count; the name of a receiver
 * is one that the whole world can resolve.
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
    // If one family failed, the other is used, and checked all the same. IPv4 comes first, so that a host without IPv6
    // loses no time.
    return [...toAddresses(v4, 4), ...toAddresses(v6, 6)];
  };
}

function toAddresses(settled: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (settled.status === 'rejected') return [];
  return settled.value.map((address) => ({ address, family }));
}

function toFault(error: NodeJS.ErrnoException): SendFault {
  // Where no name server could be reached, that says nothing about the name.
  const sendError = error.code === CONNREFUSED ? 'sender_failed' : 'dns_failed';
  return new SendFault(sendError, { cause: error });
}
