import { mapMethods } from '@latchhook/core/storage';
import { type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { type InstrumentOptions, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/** Makes a call, with a span if there is an active span. */
export type TraceCall = <Answer>(name: string, call: () => Promise<Answer>) => Promise<Answer>;

/**
 * Calls without an active span are not traced: background work on deliveries calls the storage all the time, and each
 * call would be a trace.
 *
 * Security: arguments, results and error messages may contain personal data, so a span has none of them.
 */
export function createTraceCall(options: InstrumentOptions): TraceCall {
  const tracer = tracerOf(options);
  return (name, call) =>
    trace.getActiveSpan() === undefined
      ? call()
      : tracer.startActiveSpan(name, (span) => watched(span, call));
}

/** Outcomes of the contracts, such as `rotated`, `stale_login` or `not_found`. */
const OUTCOME = /^[a-z]{1,20}(?:_[a-z]{1,20}){0,3}$/;

/**
 * For calls of a store: the span has the outcome too, which is one of a closed union. Not for the users table, where a
 * user may have a column `outcome`.
 */
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

/** Ends the span with the call, and records an error. */
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

/** A possible name of a class. The `name` of an error may be set to any text, even one that contains data. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,63}$/;

/** Only the name of an error, as messages, above all of drivers, quote their input. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error && CLASS_NAME.test(error.name) ? error.name : '_OTHER';
}

/** Wraps an object so that calls of these methods are spans, `<name>.<method>`. All methods must return promises. */
export function tracedCalls<Part extends object>(
  part: Part,
  methods: Readonly<Record<string, true>>,
  { name, traceCall }: { readonly name: string; readonly traceCall: TraceCall },
): Part {
  // Passed on unchanged, so that `createAuth` rejects it with a helpful message, as it does with missing methods.
  if (typeof part !== 'object' || part === null) return part;
  const traced = mapMethods<object, never>(part, methods, (call, method) =>
    traceCall(`${name}.${method}`, async () => call()),
  );
  const given = Object.entries(traced).filter(
    ([method]) => typeof Reflect.get(part, method) === 'function',
  );
  return withOverrides(part, Object.fromEntries(given) as Partial<Part>);
}
