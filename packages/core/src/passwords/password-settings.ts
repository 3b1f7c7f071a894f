import type { AccountId } from '../account-id.ts';
import type { HostPasswordVerifier, PasswordOptions } from './password-options.ts';

/** The option group `passwords`, resolved. */
export interface PasswordSettings extends Required<Omit<PasswordOptions, 'verifier'>> {
  /** `undefined`: stored hashes are compared here. */
  readonly verifier: HostPasswordVerifier<AccountId> | undefined;
}
