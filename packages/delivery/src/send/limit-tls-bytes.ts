import type { Socket } from 'node:net';
import type { ConnectionCharges } from './receiver-budget.ts';
import { SendFault } from './send-fault.ts';

/**
 * How often the bytes below and above TLS are compared, ms. They are polled because Node emits no event for TLS records
 * without content.
 */
const CHECK_MS = 100;
/**
 * How many bytes TLS may receive besides content without a charge. A handshake that names all certificate authorities
 * of a system takes 15,692 bytes.
 */
const FREE_BYTES = 16_384;
/** How many more such bytes are free for each byte of content: the framing of content that is sent in small records. */
const FREE_PER_BYTE = 4;
/** The connection is closed when TLS exceeds its free bytes by more than this. */
const MAX_BYTES = 49_152;

/**
 * Charges the bytes that TLS receives besides content: all of them if the handshake fails, else those beyond 16 KiB and
 * four times the content. Closes a connection with another 48 KiB of them, such as endless session tickets or key
 * updates.
 *
 * The receiver chooses the certificates that we verify, and Node limits neither the length of a chain nor the kind of
 * its keys. OpenSSL limits the size of the keys, so the CPU time grows with the length of the chain.
 *
 * @param wire - the socket below TLS
 * @param getContentSocket - the socket from which content is read; `null` until the handshake is over
 */
export function limitTlsBytes(
  wire: Socket,
  getContentSocket: () => Socket | null,
  charges: ConnectionCharges,
): void {
  let chargedBytes = 0;
  const chargeBeyond = (freeBytes: number, freePerByte: number): number => {
    const contentBytes = getContentSocket()?.bytesRead ?? 0;
    const bytes = wire.bytesRead - freeBytes - contentBytes * (1 + freePerByte);
    if (bytes > chargedBytes) charges.add(bytes - chargedBytes, 'tls_failed');
    chargedBytes = Math.max(bytes, chargedBytes);
    return bytes;
  };
  // It also checks while the handshake is pending. Otherwise hundreds of connections could have their certificates
  // verified before the first handshake fails.
  const timer = setInterval(() => {
    if (chargeBeyond(FREE_BYTES, FREE_PER_BYTE) > MAX_BYTES)
      (getContentSocket() ?? wire).destroy(new SendFault('invalid_answer'));
  }, CHECK_MS);
  timer.unref();
  wire.once('close', () => {
    clearInterval(timer);
    if (getContentSocket() === null) chargeBeyond(0, 0);
    else chargeBeyond(FREE_BYTES, FREE_PER_BYTE);
  });
}
