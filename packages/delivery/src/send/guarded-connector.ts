import { promises as dns } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { isPublicAddress, portOf } from '@latchhook/core/delivery';
import type { Connector, ConnectTarget } from './attempt-client.ts';
import { type CheckAddress, checkedLookup } from './checked-lookup.ts';
import { limitResponseBytes } from './limit-response-bytes.ts';
import { limitTlsBytes } from './limit-tls-bytes.ts';
import { type BudgetKeys, ReceiverBudget } from './receiver-budget.ts';
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
 * The connector for undici. It connects to global unicast addresses only.
 *
 * Security: it connects to the very addresses that it checked, without a second DNS query (DNS rebinding); one address
 * that is not allowed rejects the name; and it checks the peer's address again before it writes the first byte. It
 * verifies certificates even under `NODE_TLS_REJECT_UNAUTHORIZED=0`.
 */
export function guardedConnector(options: ConnectorOptions): Connector {
  const { allowPrivateAddresses, resolveHost, ca } = options;
  const check: CheckAddress = (address) =>
    allowPrivateAddresses || isPublicAddress(address) ? null : new SendFault('address_rejected');
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

  /**
   * Resolves to the socket from which undici reads responses: of TLS for https, else `wire`.
   *
   * @param wire - the TCP socket, which is still connecting
   */
  function open(wire: Socket, target: ConnectTarget, keys: BudgetKeys): Promise<Socket> {
    return new Promise((resolve, reject) => {
      let openSocket: Socket | null = null;
      // The budget is asked now, and not only when the connection is open, so that it can reject the connection while
      // the name server and the handshake, whose duration the receiver controls, are pending. An open connection is
      // kept: its handshake is already paid for, its delivery may succeed, and `limitResponseBytes` and `limitTlsBytes`
      // bound what else it costs.
      const charges = budget.open(keys, (fault) => {
        if (openSocket === null) wire.destroy(fault);
      });
      const opened = (socket: Socket): void => {
        openSocket = socket;
        limitResponseBytes(socket, charges);
        resolve(socket);
      };
      const shakeHands = (): void => {
        limitTlsBytes(wire, () => openSocket, charges);
        connectTls({ ...target, httpSocket: wire }, (error, socket) =>
          error === null ? opened(socket) : reject(error),
        );
      };
      wire
        // Later errors have no effect: an open connection reports its errors to undici by itself.
        .on('error', reject)
        .once('close', charges.close)
        .once('connect', () => {
          const { remoteAddress: peer } = wire;
          const fault = peer === undefined ? new SendFault('connection_reset') : check(peer);
          if (fault !== null) wire.destroy(fault);
          else if (target.protocol === 'https:') shakeHands();
          else opened(wire);
        });
    });
  }

  return (target, callback) => {
    const { hostname, connection } = target;
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
    connection.connectBy(wire);
    open(wire, target, keys).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  };
}

/** Asks the system's resolver, which honours `/etc/hosts` and search domains. */
const resolveBySystem: ResolveHost = (hostname) => dns.lookup(hostname, { all: true });
