import type { Socket } from 'node:net';
import { SendFault } from './send-fault.ts';

/** How often the bytes are compared, ms. */
const LOOK_MS = 100;
/** What TLS may take beside its content: certificates, tickets, and the frames of what is written in small pieces. */
const MAX_OVERHEAD_BYTES = 65_536;
/** How many bytes more it may take for each byte of content. */
const OVERHEAD_PER_BYTE = 4;

/**
 * Ends a connection over which the receiver sends TLS records without content: tickets or key updates without end. Node
 * emits nothing for these, so their bytes are compared by a timer. Unbounded, they kept the process busy at 2 MB/s
 * until the attempt timed out, and for as long as the connection was kept alive.
 *
 * @param wire - the socket below TLS
 * @param getPlain - the socket that content comes out of; `null` until the handshake is over
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
