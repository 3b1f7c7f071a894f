import { argon2, jose, otplib, toJsonSchema, uqr } from '../loading/dependencies.ts';
import type { LazyModule } from '../loading/lazy-module.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/**
 * What an app of these options will load, the most urgent first. Not `otplib` where users enrol no factor here: that of
 * a user from the user store is first known at a login, and then it is loaded before the code arrives.
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
