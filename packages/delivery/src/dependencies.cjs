// CommonJS, because on Node.js 20 `import()` caches for ever that a file could not be read. The path names a file,
// because Bun resolves the bare name to its own undici, which lacks what the sender needs.
exports.undici = () => require('undici/index.js');
