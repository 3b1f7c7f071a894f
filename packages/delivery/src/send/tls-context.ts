import { constants, getFips } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';

/**
 * Allows elliptic-curve key exchange only, combined with ML-KEM where OpenSSL supports it. With finite-field
 * Diffie-Hellman the receiver chooses the size of the prime, and a large one blocks this process before the receiver
 * has authenticated. Renegotiation is off because TLS 1.2 lets a receiver request it without limit.
 *
 * Share the context: creating one reads all trusted certificates.
 *
 * @param ca - the certificate of the only trusted authority; without it, the authorities that Node.js trusts
 */
export function createTlsContext(ca: string | undefined): SecureContext {
  const ciphers = `${DEFAULT_CIPHERS}:!DHE`;
  const options = { ca, ciphers, secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
  const curves = 'P-256:P-384:P-521';
  if (getFips() === 1) return createSecureContext({ ...options, ecdhCurve: curves });
  try {
    return createSecureContext({ ...options, ecdhCurve: `X25519MLKEM768:X25519:${curves}` });
  } catch {
    // OpenSSL before 3.5 rejects the whole list for a group that it does not know.
    return createSecureContext({ ...options, ecdhCurve: `X25519:${curves}` });
  }
}
