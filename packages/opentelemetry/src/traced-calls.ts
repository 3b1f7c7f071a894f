import { mapMethods } from '@latchhook/core/storage';
import { type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { type InstrumentOptions, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/** Makes a call, with a span if there is an active span. */
export type TraceCall = <Result>(name: string, call: () => Promise<Result>) => Promise<Result>;

/**
 * Traces only calls within an active span. Background work on deliveries calls the storage all the time without one,
 * and each of these calls would begin a trace.
 *
 * Security: arguments, results and error messages may contain personal data, so a span has none of them.
 */
export function createTraceCall(options: InstrumentOptions): TraceCall {
  const tracer = tracerOf(options);
  return (name, call) =>
    trace.getActiveSpan() === undefined
      ? call()
      : tracer.startActiveSpan(name, (span) => runInSpan(span, call));
}

/** `rotated`, `stale_login` and the like. A store that breaks its contract may return any text, even personal data. */
const OUTCOME = /^[a-z]{1,20}(?:_[a-z]{1,20}){0,3}$/;

/**
 * Adds the outcome to the spans of a store because each outcome is a member of a closed union. Not for the user store
 * because a user may have a property `outcome`.
 */
export function withOutcomes(traceCall: TraceCall): TraceCall {
  return (name, call) =>
    traceCall(name, async () => {
      const result = await call();
      const outcome = outcomeOf(result);
      if (outcome !== undefined) trace.getActiveSpan()?.setAttribute('latchhook.outcome', outcome);
      return result;
    });
}

function outcomeOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('outcome' in result)) return undefined;
  const { outcome } = result;
  return typeof outcome === 'string' && OUTCOME.test(outcome) ? outcome : undefined;
}

/** Makes a call, records its error on the span, and ends the span. */
export async function runInSpan<Result>(span: Span, call: () => Promise<Result>): Promise<Result> {
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

/** A possible name of a class. The `name` of an error may be set to any text, even to one that contains data. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,63}$/;

/** The name of an error, and not its message: messages of drivers quote their input. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error && CLASS_NAME.test(error.name) ? error.name : '_OTHER';
}

/** Wraps an object so that each call of these methods is a span `<name>.<method>`. The methods must return promises. */
export function tracedCalls<Part extends object>(
  part: Part,
  methods: Readonly<Record<string, true>>,
  { name, traceCall }: { readonly name: string; readonly traceCall: TraceCall },
): Part {
  // `createAuth` rejects an invalid part, and missing methods, with a helpful message.
  if (typeof part !== 'object' || part === null) return part;
  const traced = mapMethods<object, never>(part, methods, (call, method) =>
    traceCall(`${name}.${method}`, async () => call()),
  );
  const present = Object.entries(traced).filter(
    ([method]) => typeof Reflect.get(part, method) === 'function',
  );
  return withOverrides(part, Object.fromEntries(present) as Partial<Part>);
}
