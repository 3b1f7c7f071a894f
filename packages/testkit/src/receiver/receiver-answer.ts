import { assertNames, type NamesOf } from '@latchhook/core/storage';

/** The body of an answer: text, bytes, or a number of meaningless bytes. `Infinity` never ends. */
export type AnswerBody = string | Uint8Array | { readonly bytes: number };

/** How fast an answer is sent, and what follows it. */
export interface AnswerPace {
  /** How long the request waits for its answer. Default: 0. */
  readonly afterMs?: number;
  /** The pause before each byte of the body. Default: the body is sent in one piece. */
  readonly byteEveryMs?: number;
  /** After the body: the end of the response, nothing, or a reset of the connection. Default: `complete`. */
  readonly ending?: 'complete' | 'hang' | 'reset';
}

/** An HTTP answer. */
export interface HttpAnswer extends AnswerPace {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AnswerBody;
}

/** Bytes that are sent unchanged, HTTP or not. */
export interface RawAnswer extends AnswerPace {
  readonly raw: string | Uint8Array;
}

/** An answer to a request: a status, no answer at all, a reset of the connection, or a full description. */
export type ReceiverAnswer = number | 'hang' | 'reset' | HttpAnswer | RawAnswer;

/** One answer for every request, or a series of answers, the last of which is repeated. */
export type ReceiverScript = ReceiverAnswer | readonly ReceiverAnswer[];

const PACE: NamesOf<AnswerPace> = { afterMs: true, byteEveryMs: true, ending: true };
const HTTP: NamesOf<HttpAnswer> = { status: true, headers: true, body: true, ...PACE };
const RAW: NamesOf<RawAnswer> = { raw: true, ...PACE };

/**
 * Rejects misspelt properties: with a misspelt `afterMs`, a test of a slow answer would pass without a delay.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`
 */
export function assertScript(script: ReceiverScript): void {
  for (const answer of isSeries(script) ? script : [script]) {
    if (typeof answer === 'object') {
      const names = 'raw' in answer ? RAW : HTTP;
      assertNames('an answer', 'options_invalid', answer, names);
    }
  }
}

/** @param nth - From 0. */
export function nthAnswer(script: ReceiverScript, nth: number): ReceiverAnswer {
  if (!isSeries(script)) return script;
  const answer = script[nth] ?? script.at(-1);
  if (answer === undefined) throw new RangeError('a series of answers has one at least');
  return answer;
}

// `Array.isArray` does not narrow a readonly array out of a union.
function isSeries(script: ReceiverScript): script is readonly ReceiverAnswer[] {
  return Array.isArray(script);
}
