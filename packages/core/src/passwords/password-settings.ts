import type { HostPasswordVerifier, PasswordOptions } from './password-options.ts';

/** The option group `passwords`, resolved. */
export interface PasswordSettings extends Required<Omit<PasswordOptions, 'verifier'>> {
  /** `undefined`: stored hashes are judged here. */
  readonly verifier: HostPasswordVerifier | undefined;
}
