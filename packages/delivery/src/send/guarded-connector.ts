import { constants, getFips } from 'node:crypto';
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { isPublicAddress, portOf } from '@latchhook/core/delivery';
import type { buildConnector } from 'undici';
import { boundOverhead } from './bound-overhead.ts';
import type { Connector } from './connector.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import {
  type HandshakeClock,
  HandshakeCooldowns,
  type HandshakeParties,
} from './handshake-cooldowns.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';
import { connectTcp } from './stream-bypass.ts';
import { undici } from './undici.ts';

/** How connections are made. */
export interface ConnectorOptions {
  readonly allowPrivateAddresses: boolean;
  /** For all that connecting takes together: the name, TCP, and the handshake of TLS. */
  readonly timeoutMs: number;
  /** Default: the name servers of the system, or where private addresses are allowed whatever the system asks. */
  readonly resolveHost?: ResolveHost;
  /** Certificate of the authority that is trusted. Default: those that Node trusts. */
  readonly ca?: string;
  /** What the cost of handshakes is measured by. Default: the time for which this process is busy. */
  readonly handshakeClock?: HandshakeClock;
}

/** How long each address of a name is tried: far receivers may need more than Node's 250 ms. */
const ADDRESS_ATTEMPT_MS = 1_000;

/**
 * How many addresses of each family are tried. A name may have thousands that all refuse at once, and one attempt would
 * make as many connections, to wherever the owner of the name likes.
 */
const MAX_ADDRESSES_TRIED = 4;

/** How many a name may have at all: each of them is checked whenever a connection is made. */
const MAX_ADDRESSES = 256;

/** How long a socket may be silent before TCP probes it, ms: the default of undici. */
const KEEP_ALIVE_DELAY_MS = 60_000;

/**
 * Connects for undici, to global unicast addresses only.
 *
 * Security: the addresses that were checked are the ones that are connected to, so that a name server gets no
 * second word; one bad address among good ones refuses the name; and the peer's address is looked at once
 * more before the first byte is written. Certificates are verified whatever the environment says.
 */
export function guardedConnector(options: ConnectorOptions): Connector {
  const { allowPrivateAddresses, timeoutMs, ca } = options;
  const isAllowed = (address: string): boolean => allowPrivateAddresses || isPublicAddress(address);
  const tcp = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    lookup: checkedLookup(
      options.resolveHost ?? (allowPrivateAddresses ? askSystem : createHostResolver()),
      isAllowed,
    ),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  };
  const connectTls = undici.get().buildConnector({
    // One deadline covers TCP and TLS; undici's would restart here.
    timeout: 0,
    rejectUnauthorized: true,
    // Shared: without it the trusted certificates are read for each socket, most of what a failed handshake costs.
    secureContext: createContext(ca),
  });

  const cooldowns = new HandshakeCooldowns(options.handshakeClock);

  function shakeHands(
    parties: HandshakeParties,
    target: buildConnector.Options & { readonly httpSocket: Socket },
    end: buildConnector.Callback,
  ): void {
    let plain: Socket | null = null;
    boundOverhead(target.httpSocket, () => plain);
    const endHandshake = cooldowns.begin(parties, target.httpSocket);
    connectTls(target, (...connected) => {
      plain = connected[1];
      endHandshake(connected[0] === null ? 'done' : 'failed');
      end(...connected);
    });
  }

  return (target, callback, { accountId, signal }) => {
    // For a literal address Node calls no `lookup`, so it is checked here.
    if (isIP(target.hostname) !== 0 && !isAllowed(target.hostname)) {
      queueMicrotask(() => callback(new SendFault('address_refused'), null));
      return;
    }
    const isTls = target.protocol === 'https:';
    const parties = { endpoint: `${target.hostname}:${portOf(target)}`, accountId };
    const mustCoolDown = (): boolean => isTls && cooldowns.isCoolingDown(parties);
    if (mustCoolDown()) {
      queueMicrotask(() => callback(new SendFault('tls_failed'), null));
      return;
    }
    // TCP alone first: TLS would write to the peer before its address can be checked.
    const socket = connectTcp({ ...tcp, host: target.hostname, port: portOf(target) });
    endWith(socket, signal);
    const end = endingInTime(socket, timeoutMs, callback);
    socket
      .on('error', (error) => end(error, null))
      .once('connect', () => {
        const fault = checkPeer(socket, isAllowed);
        if (fault !== null) socket.destroy(fault);
        // Again: a name server of the receiver's chooses how long ago that was asked.
        else if (mustCoolDown()) socket.destroy(new SendFault('tls_failed'));
        else if (isTls) shakeHands(parties, { ...target, httpSocket: socket }, end);
        else end(null, socket);
      });
  };
}

/**
 * Ends a socket with a signal. Node's own option `signal` keeps a listener for each socket, closed or not: a receiver
 * that closes its connection after each answer makes a new one each time, and all were kept, at 6 KB an attempt.
 */
function endWith(socket: Socket, signal: AbortSignal): void {
  const giveUp = (): void => void socket.destroy(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp);
  socket.once('close', () => signal.removeEventListener('abort', giveUp));
}

/** Calls back once. Destroys a socket that is not connected when time is up. */
function endingInTime(
  socket: Socket,
  timeoutMs: number,
  callback: buildConnector.Callback,
): buildConnector.Callback {
  let isOver = false;
  const giveUp = (): void => {
    if (!isOver) socket.destroy(new SendFault('timeout'));
  };
  // At the end of the turn: that it is connected may not have been read yet (ADR 38).
  const deadline = setTimeout(() => atEndOfTurn(giveUp), timeoutMs);
  return (...connected) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(deadline);
    callback(...connected);
  };
}

/**
 * Agrees on keys over elliptic curves only, with ML-KEM beside one where OpenSSL knows it. In a finite field the
 * receiver would choose the size of the numbers: with 10,000 bits a handshake took 0.6 s of this process, before the
 * receiver had proved anything. No receiver may ask for another handshake, as TLS 1.2 lets it as often as it likes.
 */
function createContext(ca: string | undefined): SecureContext {
  const ciphers = `${DEFAULT_CIPHERS}:!DHE`;
  const options = { ca, ciphers, secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
  const curves = 'P-256:P-384:P-521';
  if (getFips() === 1) return createSecureContext({ ...options, ecdhCurve: curves });
  try {
    return createSecureContext({ ...options, ecdhCurve: `X25519MLKEM768:X25519:${curves}` });
  } catch {
    // OpenSSL before 3.5 refuses the whole list for a group that it does not know.
    return createSecureContext({ ...options, ecdhCurve: `X25519:${curves}` });
  }
}

function checkPeer(socket: Socket, isAllowed: (address: string) => boolean): SendFault | null {
  const address = socket.remoteAddress;
  if (address === undefined) return new SendFault('connection_reset');
  return isAllowed(address) ? null : new SendFault('address_refused');
}

function checkedLookup(
  resolveHost: ResolveHost,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  return (hostname, _options, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const fault = checkAll(addresses, isAllowed);
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

function checkAll(
  addresses: readonly LookupAddress[],
  isAllowed: (address: string) => boolean,
): SendFault | null {
  // Node would throw, where nobody could catch it.
  if (addresses.length === 0) return new SendFault('dns_failed');
  if (addresses.length > MAX_ADDRESSES) return new SendFault('address_refused');
  const allowed = addresses.every(({ address }) => isAllowed(address));
  return allowed ? null : new SendFault('address_refused');
}
