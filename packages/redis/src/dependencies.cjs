// Loads the one limiter by its file, as the library's manual shows; its main entry loads those of all other databases
// too.
exports.RateLimiterRedis = require('rate-limiter-flexible/lib/RateLimiterRedis.js');
