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
 * Security: a span has only the outcome, as the contract names it. Arguments, answers and error messages may hold
 * personal data.
 */
export function createTraceCall(options: InstrumentOptions): TraceCall {
  const tracer = tracerOf(options);
  return (name, call) =>
    trace.getActiveSpan() === undefined
      ? call()
      : tracer.startActiveSpan(name, (span) => watched(span, call));
}

/** Ends the span with the call, and sets its outcome. */
export async function watched<Answer>(span: Span, call: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await call();
    const outcome = outcomeOf(answer);
    if (outcome !== undefined) span.setAttribute('latchhook.outcome', outcome);
    return answer;
  } catch (error) {
    span.setAttribute('error.type', errorTypeOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** The name alone: messages, of drivers above all, quote what they were asked. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER';
}

/** Stores answer closed unions: `rotated`, `superseded`, `locked`. */
function outcomeOf(answer: unknown): string | undefined {
  const isOutcome = typeof answer === 'object' && answer !== null && 'outcome' in answer;
  return isOutcome && typeof answer.outcome === 'string' ? answer.outcome : undefined;
}

/** The same object, whose calls of these methods are spans, `<name>.<method>`. All of them must answer promises. */
export function tracedCalls<Part extends object>(
  part: Part,
  methods: Readonly<Record<string, true>>,
  { name, traceCall }: { readonly name: string; readonly traceCall: TraceCall },
): Part {
  // `createAuth` refuses it with a message that helps, and one that lacks methods too.
  if (typeof part !== 'object' || part === null) return part;
  const traced = mapMethods<object, never>(part, methods, (call, method) =>
    traceCall(`${name}.${method}`, async () => call()),
  );
  const given = Object.entries(traced).filter(
    ([method]) => typeof Reflect.get(part, method) === 'function',
  );
  return withOverrides(part, Object.fromEntries(given) as Partial<Part>);
}
