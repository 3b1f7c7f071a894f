// CommonJS, because on Node.js 20 `import()` remembers for ever that a file could not be read.
// By its file: Bun has an undici of its own under the bare name, which cannot do what is needed of it.
exports.undici = () => require('undici/index.js');
