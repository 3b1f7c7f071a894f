import type { Argon2, Jose, Otplib, ToJsonSchema, Uqr } from './dependencies.ts';

export const argon2: () => Argon2;
export const jose: () => Jose;
export const here: () => string;
export const otplib: () => Otplib;
export const toJsonSchema: () => ToJsonSchema;
export const uqr: () => Uqr;
