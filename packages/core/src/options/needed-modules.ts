import { argon2, jose, otplib, toJsonSchema, uqr } from '../loading/dependencies.ts';
import type { LazyModule } from '../loading/lazy-module.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/**
 * The modules that an app with these options will load, the most urgent first. Not `otplib` if users enrol no factor
 * here: only a login shows that the user store has a factor, and `otplib` is then loaded before the code arrives.
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
