import { argon2, jose, otplib, toJsonSchema, uqr } from '../loading/dependencies.ts';
import type { LazyModule } from '../loading/lazy-module.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/**
 * The modules that an app with these options will load, the most urgent first. `otplib` is left out if users enrol no
 * factor here: a login with a factor of the user store loads it before the user has typed the code.
 */
export function neededModules({
  passwords,
  enrolment,
}: Pick<ResolvedOptions, 'passwords' | 'enrolment'>): readonly LazyModule<unknown>[] {
  return [
    ...(passwords.verifier === undefined ? [argon2] : []),
    jose,
    ...(enrolment === undefined ? [] : [otplib, uqr]),
    toJsonSchema,
  ];
}
