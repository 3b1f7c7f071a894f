import type { Socket } from 'node:net';
import { SendFault } from './send-fault.ts';

/** How often it is looked at, ms. */
const LOOK_MS = 100;
/** Certificates, tickets, and the frames of what is written in small pieces. */
const MAX_OVERHEAD_BYTES = 65_536;
/** For each byte that comes out there may be so many besides. */
const OVERHEAD_PER_BYTE = 4;

/**
 * Ends a connection by which TLS is told much of which nothing comes out: tickets or changes of its key without end. Node
 * tells nobody of these, so it is looked at by the clock. They kept the process busy, by 2 MB a second, for all of the time that
 * an attempt has, and for as long as the connection was kept.
 *
 * @param wire - what TLS goes over
 * @param getPlain - what comes out; `null` until the handshake is over
 */
export function boundOverhead(wire: Socket, getPlain: () => Socket | null): void {
  const look = setInterval(() => {
    const plain = getPlain();
    const plainBytes = plain?.bytesRead ?? 0;
    const overheadBytes = wire.bytesRead - plainBytes;
    if (overheadBytes > MAX_OVERHEAD_BYTES + plainBytes * OVERHEAD_PER_BYTE) {
      (plain ?? wire).destroy(new SendFault('invalid_answer'));
    }
  }, LOOK_MS);
  look.unref();
  wire.once('close', () => clearInterval(look));
}
