import { timingSafeEqual } from 'node:crypto';
import { assertNames, type NamesOf } from './assert-names.ts';
import { assertRaw } from './assert-raw.ts';
import { assertHeaders, headerValue, type WebhookHeaders } from './header-value.ts';
import { secretBytes, type WebhookSecret } from './secret-bytes.ts';
import { signatureOf } from './signature.ts';

/** The delivery to verify, and the secrets. */
export interface VerifyRequest {
  /** The signing secret, or several, such as the old and the new one during a rotation. */
  readonly secret: WebhookSecret | readonly WebhookSecret[];
  readonly headers: WebhookHeaders;
  /** The received body, byte for byte: neither parsed nor serialised again. */
  readonly body: string | Uint8Array;
  /** How far `webhook-timestamp` may be from `atMs`, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The time to verify at, ms since 1970. Default: now. */
  readonly atMs?: number;
}

/**
 * Why a request is rejected. `header_missing`, `header_malformed`: the request is not a webhook. `too_old`, `too_new`:
 * the request is replayed, or the clock of the sender or the receiver is wrong. `no_match`: no signature matches any of
 * the secrets.
 */
export type SignatureRejection =
  | 'header_missing'
  | 'header_malformed'
  | 'too_old'
  | 'too_new'
  | 'no_match';

/** The outcome of {@link verifySignature}. */
export type SignatureOutcome =
  | {
      readonly outcome: 'verified';
      /** The `webhook-id`, which is the same in every attempt. */
      readonly id: string;
      /** When this attempt was sent, ms. */
      readonly sentAtMs: number;
    }
  | { readonly outcome: 'rejected'; readonly reason: SignatureRejection };

const NAMES: NamesOf<VerifyRequest> = {
  secret: true,
  headers: true,
  body: true,
  toleranceSeconds: true,
  atMs: true,
};

const TIMESTAMP = /^\d{1,12}$/;

/**
 * Verifies a delivery by Standard Webhooks, with any body. Signatures of versions other than `v1` are ignored.
 *
 * Security: compares in constant time. A replayed request is verified again within the tolerance: store each `id` if
 * handling a delivery twice would do harm.
 *
 * @throws {TypeError} if `secret` is not a valid signing secret, `headers` are missing, `body` has been parsed, or an
 *   option is unknown
 */
export function verifySignature(request: VerifyRequest): SignatureOutcome {
  assertNames(request, NAMES, '{ secret, headers, body }');
  const { headers, body, toleranceSeconds = 300, atMs = Date.now() } = request;
  assertHeaders(headers);
  assertRaw(body);
  const secrets = secretBytes(request.secret);
  const id = headerValue(headers, 'webhook-id');
  const timestamp = headerValue(headers, 'webhook-timestamp');
  const signatures = headerValue(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) return rejected('header_missing');
  // With a dot in the id, the boundary between id and timestamp would be ambiguous.
  if (id.includes('.') || !TIMESTAMP.test(timestamp)) return rejected('header_malformed');

  const sentAtMs = Number(timestamp) * 1000;
  const toleranceMs = toleranceSeconds * 1000;
  // Negated, so that NaN, as from an unset environment variable, is rejected: comparisons with NaN are false.
  if (!(atMs - sentAtMs <= toleranceMs)) return rejected('too_old');
  if (!(sentAtMs - atMs <= toleranceMs)) return rejected('too_new');

  const candidates = signatures.split(' ').flatMap(toV1);
  const isMatch = secrets.some((secret) => {
    const expected = Buffer.from(signatureOf(secret, id, timestamp, body));
    return candidates.some(
      (candidate) => candidate.length === expected.length && timingSafeEqual(candidate, expected),
    );
  });
  return isMatch ? { outcome: 'verified', id, sentAtMs } : rejected('no_match');
}

function toV1(entry: string): Buffer[] {
  return entry.startsWith('v1,') ? [Buffer.from(entry.slice('v1,'.length))] : [];
}

function rejected(reason: SignatureRejection): SignatureOutcome {
  return { outcome: 'rejected', reason };
}
