import { mapMethods } from '@latchhook/core/storage';
import { type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { type InstrumentOptions, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/** Makes a call, as a span if it is made within another one. */
export type TraceCall = <Answer>(name: string, call: () => Promise<Answer>) => Promise<Answer>;

/**
 * Calls outside of any span stay as they are: background work on deliveries asks the storage all day long, and each of
 * its calls would be a trace.
 *
 * Security: arguments, answers and error messages may hold personal data, so a span has none of them.
 */
export function createTraceCall(options: InstrumentOptions): TraceCall {
  const tracer = tracerOf(options);
  return (name, call) =>
    trace.getActiveSpan() === undefined
      ? call()
      : tracer.startActiveSpan(name, (span) => watched(span, call));
}

/** Outcomes as contracts name them: `rotated`, `stale_login`, `not_found`. */
const OUTCOME = /^[a-z]{1,20}(?:_[a-z]{1,20}){0,3}$/;

/** For calls of a store, which answers closed unions: the span has the outcome too. A user may have such a column. */
export function withOutcomes(traceCall: TraceCall): TraceCall {
  return (name, call) =>
    traceCall(name, async () => {
      const answer = await call();
      const outcome = outcomeOf(answer);
      if (outcome !== undefined) trace.getActiveSpan()?.setAttribute('latchhook.outcome', outcome);
      return answer;
    });
}

function outcomeOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('outcome' in answer)) return undefined;
  const { outcome } = answer;
  return typeof outcome === 'string' && OUTCOME.test(outcome) ? outcome : undefined;
}

/** Ends the span with the call, and says how it went. */
export async function watched<Answer>(span: Span, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    span.setAttribute('error.type', errorTypeOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** A class may be named so. Anybody can set the `name` of an error, to a text with data in it too. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,63}$/;

/** The name alone: messages, of drivers above all, quote what they were asked. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error && CLASS_NAME.test(error.name) ? error.name : '_OTHER';
}

/** The same object, whose calls of these methods are spans, `<name>.<method>`. All of them must answer promises. */
export function tracedCalls<Part extends object>(
  part: Part,
  methods: Readonly<Record<string, true>>,
  { name, traceCall }: { readonly name: string; readonly traceCall: TraceCall },
): Part {
  // `createAuth` rejects it with a message that helps, and one that lacks methods too.
  if (typeof part !== 'object' || part === null) return part;
  const traced = mapMethods<object, never>(part, methods, (call, method) =>
    traceCall(`${name}.${method}`, async () => call()),
  );
  const given = Object.entries(traced).filter(
    ([method]) => typeof Reflect.get(part, method) === 'function',
  );
  return withOverrides(part, Object.fromEntries(given) as Partial<Part>);
}
