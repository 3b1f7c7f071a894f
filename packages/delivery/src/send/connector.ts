import type { buildConnector } from 'undici';

/**
 * Connects for undici, until `signal` says that nobody wants the connection any more. undici itself never says so: a
 * client that is destroyed lets its connector go on, and destroys what comes of it.
 */
export type Connector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  signal: AbortSignal,
) => void;
