import type { Socket } from 'node:net';
import type { Tab } from './receiver-budget.ts';
import { SendFault } from './send-fault.ts';

/** How often the bytes below and above TLS are compared, ms: Node says nothing of records without content. */
const LOOK_MS = 100;
/** What TLS may bring besides content: a handshake that names all authorities of a system takes 15,692 bytes. */
const FREE_BYTES = 16_384;
/** How many bytes more it may bring for each byte of content: the frames of what is written in small pieces. */
const FREE_PER_BYTE = 4;
/** How many more bytes end the connection. */
const MAX_BYTES = 49_152;

/**
 * Charges what TLS brings besides content: all of it if the handshake fails, else what exceeds 16 KiB and four times
 * the content. Ends a connection over which it brings 48 KiB more, such as tickets or key updates without end.
 *
 * A receiver chooses what there is to verify, and Node bounds neither the length of a chain nor the kind of its keys.
 * OpenSSL bounds the keys, so the time is bounded by the length: some 3 ms for each KiB.
 *
 * @param wire - the socket below TLS
 * @param getPlain - the socket that content comes out of; `null` until the handshake is over
 */
export function boundTls(wire: Socket, getPlain: () => Socket | null, tab: Tab): void {
  let chargedBytes = 0;
  const chargeBeyond = (freeBytes: number, freePerByte: number): number => {
    const plainBytes = getPlain()?.bytesRead ?? 0;
    const bytes = wire.bytesRead - freeBytes - plainBytes * (1 + freePerByte);
    if (bytes > chargedBytes) tab.charge(bytes - chargedBytes, 'tls_failed');
    chargedBytes = Math.max(bytes, chargedBytes);
    return bytes;
  };
  // While a handshake is pending, too: else certificates of hundreds could be verified before the first one fails.
  const looks = setInterval(() => {
    if (chargeBeyond(FREE_BYTES, FREE_PER_BYTE) > MAX_BYTES)
      (getPlain() ?? wire).destroy(new SendFault('invalid_answer'));
  }, LOOK_MS);
  looks.unref();
  wire.once('close', () => {
    clearInterval(looks);
    if (getPlain() === null) chargeBeyond(0, 0);
    else chargeBeyond(FREE_BYTES, FREE_PER_BYTE);
  });
}
