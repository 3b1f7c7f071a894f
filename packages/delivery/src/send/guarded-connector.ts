import { promises as dns, type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { isPublicAddress, portOf } from '@latchhook/core/delivery';
import type { buildConnector } from 'undici';
import { boundAnswers } from './bound-answers.ts';
import { boundTls } from './bound-tls.ts';
import type { Connector } from './carrier.ts';
import { ReceiverBudget } from './receiver-budget.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';
import { createTlsContext } from './tls-context.ts';
import { undici } from './undici.ts';

/** How connections are made. */
export interface ConnectorOptions {
  readonly allowPrivateAddresses: boolean;
  /** Default: the name servers of the system, or where private addresses are allowed whatever the system asks. */
  readonly resolveHost?: ResolveHost;
  /** Certificate of the authority that is trusted. Default: those that Node trusts. */
  readonly ca?: string;
}

/** How long each address of a name is tried, ms: far receivers may need more than Node's 250 ms. */
const ADDRESS_ATTEMPT_MS = 1_000;
/** How long a socket may be silent before TCP probes it, ms: the default of undici. */
const KEEP_ALIVE_DELAY_MS = 60_000;
/**
 * How many addresses of each family are tried. A name may have thousands that all reject at once, and one attempt would
 * make as many connections, to wherever the owner of the name likes.
 */
const MAX_ADDRESSES_TRIED = 4;
/** How many a name may have at all: each of them is checked whenever a connection is made. */
const MAX_ADDRESSES = 256;

/** Says what is wrong with an address that may not be connected to. */
type CheckAddress = (address: string) => SendFault | null;

/**
 * Connects for undici, to global unicast addresses only.
 *
 * Security: the addresses that were checked are the ones that are connected to, so that a name server gets no
 * second word; one bad address among good ones rejects the name; and the peer's address is looked at once
 * more before the first byte is written. Certificates are verified whatever the environment says.
 */
export function guardedConnector(options: ConnectorOptions): Connector {
  const { allowPrivateAddresses, resolveHost, ca } = options;
  const check: CheckAddress = (address) =>
    allowPrivateAddresses || isPublicAddress(address) ? null : new SendFault('address_refused');
  const resolve = resolveHost ?? (allowPrivateAddresses ? askSystem : createHostResolver());
  const tcpOptions = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    lookup: checkedLookup(resolve, check),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  };
  // The deadline is that of the whole attempt.
  const tlsOptions = { timeout: 0, rejectUnauthorized: true, secureContext: createTlsContext(ca) };
  const connectTls = undici.get().buildConnector(tlsOptions);
  const budget = new ReceiverBudget();

  return (target, callback) => {
    const { hostname, protocol, use } = target;
    const port = portOf(target);
    const parties = { endpoint: `${hostname}:${port}`, accountId: use.accountId };
    // For a literal address Node calls no `lookup`.
    const fault = (isIP(hostname) === 0 ? null : check(hostname)) ?? budget.rejection(parties);
    if (fault !== null) {
      queueMicrotask(() => callback(fault, null));
      return;
    }
    // TCP alone first: TLS would write to the peer before its address can be checked.
    const wire = connect({ ...tcpOptions, host: hostname, port });
    let plain: Socket | null = null;
    // Until it is connected: the receiver chooses how long its name server takes, and a handshake.
    const tab = budget.open(parties, (fault) => plain ?? wire.destroy(fault));
    let isOver = false;
    const end: buildConnector.Callback = (...connected) => {
      if (isOver) return;
      isOver = true;
      plain = connected[1] ?? null;
      if (plain !== null) boundAnswers(plain, tab);
      callback(...connected);
    };
    const shakeHands = (): void => {
      boundTls(wire, () => plain, tab);
      connectTls({ ...target, httpSocket: wire }, end);
    };

    use.connectBy(wire);
    wire
      .on('error', (error) => end(error, null))
      .once('close', tab.close)
      .once('connect', () => {
        const { remoteAddress: peer } = wire;
        const fault = peer === undefined ? new SendFault('connection_reset') : check(peer);
        if (fault !== null) wire.destroy(fault);
        else if (protocol === 'https:') shakeHands();
        else end(null, wire);
      });
  };
}

function checkedLookup(resolveHost: ResolveHost, check: CheckAddress): LookupFunction {
  return (hostname, _options, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const fault = checkAll(addresses, check);
        // Always the list, as `autoSelectFamily` asks for it.
        callback(fault, fault === null ? toBeTried(addresses) : []);
      },
      (error) => callback(error, []),
    );
  };
}

/** By the resolver of the system: `/etc/hosts` and search domains count. */
const askSystem: ResolveHost = (hostname) => dns.lookup(hostname, { all: true });

function toBeTried(addresses: readonly LookupAddress[]): LookupAddress[] {
  const ofFamily = (family: number) => addresses.filter((one) => one.family === family);
  return [4, 6].flatMap((family) => ofFamily(family).slice(0, MAX_ADDRESSES_TRIED));
}

function checkAll(addresses: readonly LookupAddress[], check: CheckAddress): SendFault | null {
  // Node would throw, where nobody could catch it.
  if (addresses.length === 0) return new SendFault('dns_failed');
  if (addresses.length > MAX_ADDRESSES) return new SendFault('address_refused');
  return addresses.map(({ address }) => check(address)).find((fault) => fault !== null) ?? null;
}
