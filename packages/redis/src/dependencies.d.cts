export { RateLimiterRedis } from 'rate-limiter-flexible';
