import { constants, getFips } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';

/**
 * Agrees on keys over elliptic curves only, with ML-KEM beside one where OpenSSL knows it. In a finite field the
 * receiver would choose the size of the numbers: with 10,000 bits a handshake took 0.6 s of this process, before the
 * receiver had proved anything. No receiver may ask for another handshake, as TLS 1.2 lets it as often as it likes.
 *
 * To be shared: making one reads all trusted certificates.
 *
 * @param ca - certificate of the authority that is trusted; else those that Node trusts
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
