import type { Claim, ClaimRequest, DeliveryStore } from '@latchhook/core/storage';

/**
 * Claims attempts. The result also has the members that a store may omit.
 *
 * @throws {TypeError} if the store breaks its contract
 */
export async function claimFromStore(
  store: Pick<DeliveryStore, 'claim'>,
  request: ClaimRequest,
): Promise<Required<Claim>> {
  const claim: Partial<Claim> | undefined = await store.claim(request);
  const { attempts, poisoned, expired = [], nextInMs = null } = claim ?? {};
  if (Array.isArray(attempts) && Array.isArray(poisoned)) {
    return { attempts, poisoned, expired, nextInMs };
  }
  throw new TypeError('claim must resolve to lists of attempts and of poisoned deliveries');
}
