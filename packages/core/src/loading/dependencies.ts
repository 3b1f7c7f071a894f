import { type LazyModule, lazyModule } from './lazy-module.ts';

// Only the members that are used, because the ES modules and the CommonJS of a package have different types.
export type Argon2 = Pick<typeof import('argon2'), 'argon2id' | 'hash'>;
export type Jose = Pick<
  typeof import('jose'),
  'decodeJwt' | 'decodeProtectedHeader' | 'errors' | 'jwtVerify'
>;
export type Otplib = Pick<
  typeof import('otplib'),
  'createGuardrails' | 'generateSecret' | 'generateURI' | 'verifySync'
>;
export type ToJsonSchema = Pick<typeof import('@valibot/to-json-schema'), 'toJsonSchema'>;
export type Uqr = Pick<typeof import('uqr'), 'renderSVG'>;

/** A CommonJS file. Imported only at the first use, because Node must first load a parser for CommonJS. */
const dependencies = () => import('#dependencies');

export const argon2: LazyModule<Argon2> = lazyModule('argon2', {
  require: async () => (await dependencies()).argon2(),
  import: () => import('argon2'),
  advice:
    'its native binary must be there as a file. A bundler must leave argon2 external, and it must be installed beside the bundle, for the platform that it runs on. See docs/guides/bundlers-and-package-managers.md',
});

export const jose: LazyModule<Jose> = lazyModule('jose', {
  require: async () => (await dependencies()).jose(),
  async import() {
    const [{ decodeJwt }, { decodeProtectedHeader }, errors, { jwtVerify }] = await Promise.all([
      import('jose/jwt/decode'),
      import('jose/decode/protected_header'),
      import('jose/errors'),
      import('jose/jwt/verify'),
    ]);
    return { decodeJwt, decodeProtectedHeader, errors, jwtVerify };
  },
});

export const otplib: LazyModule<Otplib> = lazyModule('otplib', {
  require: async () => (await dependencies()).otplib(),
  import: () => import('otplib'),
});

export const toJsonSchema: LazyModule<ToJsonSchema> = lazyModule('@valibot/to-json-schema', {
  require: async () => (await dependencies()).toJsonSchema(),
  import: () => import('@valibot/to-json-schema'),
});

export const uqr: LazyModule<Uqr> = lazyModule('uqr', {
  require: async () => (await dependencies()).uqr(),
  import: () => import('uqr'),
});
