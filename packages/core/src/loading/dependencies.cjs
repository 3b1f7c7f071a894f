// Dependencies that are loaded late. CommonJS, because `require` reads one file after the other, and retries a file
// that it could not read, while `import()` of Node.js 20 caches that failure for ever. All names are literals for
// bundlers.
exports.argon2 = () => require('argon2');
exports.jose = () => ({
  decodeJwt: require('jose/jwt/decode').decodeJwt,
  decodeProtectedHeader: require('jose/decode/protected_header').decodeProtectedHeader,
  errors: require('jose/errors'),
  jwtVerify: require('jose/jwt/verify').jwtVerify,
});
exports.otplib = () => require('otplib');
exports.toJsonSchema = () => require('@valibot/to-json-schema');
exports.uqr = () => require('uqr');

/** The path of this copy of core. A bundle of ES modules has no `__filename`. */
exports.here = () => (typeof __filename === 'string' ? __filename : 'a bundle');
