import { isIP } from 'node:net';
import { isPublicAddress } from '@latchhook/core';
import type { SendError } from './send-result.ts';

/** What may be sent to. */
export interface TargetRules {
  /** Whether plain http is sent to. */
  readonly allowHttp: boolean;
  /** Whether addresses are connected to that are not global unicast: loopback, private networks ... */
  readonly allowPrivateAddresses: boolean;
}

/**
 * Reads the URL of a webhook once more at every attempt: it may have been stored under other rules. A literal
 * address is judged here too, since a proxy would be handed it unseen.
 */
export function checkTarget(url: string, rules: TargetRules): URL | SendError {
  if (!URL.canParse(url)) return 'url_refused';
  const target = new URL(url);
  const { protocol, username, password } = target;
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'url_refused';
  if (username !== '' || password !== '') return 'url_refused';
  const literal = target.hostname.replace(/^\[|\]$/g, '');
  if (!rules.allowPrivateAddresses && isIP(literal) !== 0 && !isPublicAddress(literal)) {
    return 'address_refused';
  }
  return target;
}
