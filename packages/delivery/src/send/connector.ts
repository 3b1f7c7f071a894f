import type { buildConnector } from 'undici';

/** What a connection is for. */
export interface ConnectionUse {
  /** Whose webhook is sent to. */
  readonly accountId: number;
  readonly signal: AbortSignal;
}

/**
 * Connects for undici, until the signal says that nobody wants the connection any more. undici itself never says so:
 * when a client is destroyed, its connector goes on, and the connection is destroyed once it has come about.
 */
export type Connector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  use: ConnectionUse,
) => void;
