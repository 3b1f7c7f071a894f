import type { buildConnector } from 'undici';

/**
 * Connects for undici, until `signal` says that nobody wants the connection any more. undici itself never says so: when a
 * client is destroyed, its connector goes on, and the connection is destroyed once it has come about.
 */
export type Connector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  signal: AbortSignal,
) => void;
