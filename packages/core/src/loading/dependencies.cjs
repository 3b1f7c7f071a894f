// What is loaded late. CommonJS, because `require` reads one file after the other, and forgets what failed: on Node.js 20
// `import()` remembers for ever that a file could not be read. Each name is written out, so that bundlers find it.
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

/** A bundle of ES modules has no name for itself. */
exports.here = () => (typeof __filename === 'string' ? __filename : 'a bundle');
