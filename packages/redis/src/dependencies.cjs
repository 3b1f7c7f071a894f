// The one limiter, as the library's manual has it: its main entry loads those of all other databases too.
exports.RateLimiterRedis = require('rate-limiter-flexible/lib/RateLimiterRedis.js');
