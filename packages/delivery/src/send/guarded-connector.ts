import { promises as dns, type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { isPublicAddress, portOf } from '@latchhook/core/delivery';
import type { Connector } from './attempt-client.ts';
import { limitResponseBytes } from './limit-response-bytes.ts';
import { limitTlsBytes } from './limit-tls-bytes.ts';
import { ReceiverBudget } from './receiver-budget.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';
import { createTlsContext } from './tls-context.ts';
import { undici } from './undici.ts';

/** How connections are opened. */
export interface ConnectorOptions {
  readonly allowPrivateAddresses: boolean;
  /** Default: queries the system's name servers; where private addresses are allowed, uses the system's resolver. */
  readonly resolveHost?: ResolveHost;
  /** The certificate of the only trusted authority. Default: the authorities that Node.js trusts. */
  readonly ca?: string;
}

/** The timeout for each address of a name, ms. Distant receivers may need more than the 250 ms of Node.js. */
const ADDRESS_ATTEMPT_MS = 1_000;
/** The idle time before TCP probes a socket, ms: the default of undici. */
const KEEP_ALIVE_DELAY_MS = 60_000;
/**
 * How many addresses of each family are tried. A name may have thousands that all reject immediately, and one attempt
 * would open as many connections, to targets that the owner of the name chooses.
 */
const MAX_ADDRESSES_TRIED = 4;
/** How many addresses a name may have. Each of them is checked whenever a connection is opened. */
const MAX_ADDRESSES = 256;

/** Returns a fault if an address is not allowed. */
type CheckAddress = (address: string) => SendFault | null;

/**
 * The connector for undici. It connects to global unicast addresses only.
 *
 * Security: it connects to the very addresses that it checked, without a second DNS query (DNS rebinding); one address
 * that is not allowed rejects the name; and it checks the peer's address again before it writes the first byte. It
 * verifies certificates even under `NODE_TLS_REJECT_UNAUTHORIZED=0`.
 */
export function guardedConnector(options: ConnectorOptions): Connector {
  const { allowPrivateAddresses, resolveHost, ca } = options;
  const check: CheckAddress = (address) =>
    allowPrivateAddresses || isPublicAddress(address) ? null : new SendFault('address_refused');
  const resolve = resolveHost ?? (allowPrivateAddresses ? resolveBySystem : createHostResolver());
  const tcpOptions = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    lookup: checkedLookup(resolve, check),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  };
  // `timeout: 0`: the deadline of the whole attempt applies.
  const tlsOptions = { timeout: 0, rejectUnauthorized: true, secureContext: createTlsContext(ca) };
  const connectTls = undici.get().buildConnector(tlsOptions);
  const budget = new ReceiverBudget();

  return (target, callback) => {
    const { hostname, protocol, connection } = target;
    const port = portOf(target);
    const keys = { endpoint: `${hostname}:${port}`, accountId: connection.accountId };
    // Node calls no `lookup` for an IP address, so it is checked here.
    const fault = (isIP(hostname) === 0 ? null : check(hostname)) ?? budget.rejection(keys);
    if (fault !== null) {
      queueMicrotask(() => callback(fault, null));
      return;
    }
    // TCP connects first, without TLS, which would write to the peer before its address is checked.
    const wire = connect({ ...tcpOptions, host: hostname, port });
    /** The socket from which undici reads responses, once the connection is open: of TLS for https, else `wire`. */
    let contentSocket: Socket | null = null;
    // Called now so that the connection can still be rejected while the name server and the handshake, whose duration
    // the receiver controls, are pending. An open connection is kept: its handshake is already paid for, its delivery
    // may succeed, and the limits below bound what else it costs.
    const charges = budget.open(keys, (fault) => {
      if (contentSocket === null) wire.destroy(fault);
    });
    let isOver = false;
    const fail = (error: Error): void => {
      // An open connection reports its errors to undici by itself.
      if (isOver) return;
      isOver = true;
      callback(error, null);
    };
    const succeed = (socket: Socket): void => {
      if (isOver) return;
      isOver = true;
      contentSocket = socket;
      limitResponseBytes(socket, charges);
      callback(null, socket);
    };
    const shakeHands = (): void => {
      limitTlsBytes(wire, () => contentSocket, charges);
      connectTls({ ...target, httpSocket: wire }, (error, socket) =>
        error === null ? succeed(socket) : fail(error),
      );
    };

    connection.connectBy(wire);
    wire
      .on('error', fail)
      .once('close', charges.close)
      .once('connect', () => {
        const { remoteAddress: peer } = wire;
        const fault = peer === undefined ? new SendFault('connection_reset') : check(peer);
        if (fault !== null) wire.destroy(fault);
        else if (protocol === 'https:') shakeHands();
        else succeed(wire);
      });
  };
}

function checkedLookup(resolveHost: ResolveHost, check: CheckAddress): LookupFunction {
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

/** Asks the system's resolver, which honours `/etc/hosts` and search domains. */
const resolveBySystem: ResolveHost = (hostname) => dns.lookup(hostname, { all: true });

function toBeTried(addresses: readonly LookupAddress[]): LookupAddress[] {
  const ofFamily = (family: number) => addresses.filter((one) => one.family === family);
  return [4, 6].flatMap((family) => ofFamily(family).slice(0, MAX_ADDRESSES_TRIED));
}

function checkAll(addresses: readonly LookupAddress[], check: CheckAddress): SendFault | null {
  // For an empty list Node would throw an error that cannot be caught.
  if (addresses.length === 0) return new SendFault('dns_failed');
  if (addresses.length > MAX_ADDRESSES) return new SendFault('address_refused');
  return addresses.map(({ address }) => check(address)).find((fault) => fault !== null) ?? null;
}
