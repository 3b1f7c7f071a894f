import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { ResolveHost } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

/**
 * How many addresses of each family are tried. A name may have thousands that all reject immediately, and one attempt
 * would open as many connections, to targets that the owner of the name chooses.
 */
const MAX_ADDRESSES_TRIED = 4;
/** How many addresses a name may have. Each of them is checked whenever a connection is opened. */
const MAX_ADDRESSES = 256;

/** Returns a fault if an address is not allowed. */
export type CheckAddress = (address: string) => SendFault | null;

/** The `lookup` of sockets that connect with `autoSelectFamily`. One address that is not allowed rejects the name. */
export function checkedLookup(resolveHost: ResolveHost, check: CheckAddress): LookupFunction {
  return (hostname, _options, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const fault = checkAll(addresses, check);
        // The result is always a list, as `autoSelectFamily` calls with `all`.
        callback(fault, fault === null ? toBeTried(addresses) : []);
      },
      (error) => callback(error, []),
    );
  };
}

function checkAll(addresses: readonly LookupAddress[], check: CheckAddress): SendFault | null {
  // For an empty list Node would throw an error that cannot be caught.
  if (addresses.length === 0) return new SendFault('dns_failed');
  if (addresses.length > MAX_ADDRESSES) return new SendFault('address_rejected');
  return addresses.map(({ address }) => check(address)).find((fault) => fault !== null) ?? null;
}

function toBeTried(addresses: readonly LookupAddress[]): LookupAddress[] {
  const ofFamily = (family: number) => addresses.filter((one) => one.family === family);
  return [4, 6].flatMap((family) => ofFamily(family).slice(0, MAX_ADDRESSES_TRIED));
}
