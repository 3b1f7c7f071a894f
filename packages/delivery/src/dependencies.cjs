// CommonJS, because on Node.js 20 `import()` remembers for ever that a file could not be read.
exports.undici = () => require('undici');
