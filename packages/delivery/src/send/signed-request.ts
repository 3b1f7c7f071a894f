import type { Target } from './target.ts';

/** The HTTP request of an attempt. */
export interface SignedRequest {
  /** Whose webhook it is for. */
  readonly accountId: number;
  readonly target: Target;
  /** Names and values by turns. */
  readonly headers: string[];
  readonly body: string;
  /** The same in UTF-8: the very bytes that are signed. A view of a buffer that others share. */
  readonly bytes: Uint8Array;
}
