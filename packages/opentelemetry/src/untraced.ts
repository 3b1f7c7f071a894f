import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';

/**
 * The key by which the SDK knows that nothing is to be traced: that of `suppressTracing` in `@opentelemetry/core`,
 * which belongs to one major version of the SDK. The API makes the same key for the same name.
 */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

const UNTRACED = ROOT_CONTEXT.setValue(SUPPRESS_TRACING, true);

/** Calls `work`, apart from any trace. All that follows from it makes no spans, and sends no trace headers. */
export function untraced<Result>(work: () => Result): Result {
  return context.with(UNTRACED, work);
}

/** Calls what an untraced caller must not keep from making spans of its own. */
export function tracedAgain<Result>(work: () => Result): Result {
  return context.with(context.active().deleteValue(SUPPRESS_TRACING), work);
}
