import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';

/**
 * The context key by which the SDK suppresses tracing. `suppressTracing` of `@opentelemetry/core` sets the same key,
 * but belongs to one major version of the SDK. The API returns the same key for the same name.
 */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

const UNTRACED = ROOT_CONTEXT.setValue(SUPPRESS_TRACING, true);

/** Calls `work` outside of any trace. Neither `work` nor what it starts creates spans or sends trace headers. */
export function untraced<Result>(work: () => Result): Result {
  return context.with(UNTRACED, work);
}

/** Calls `work`, such as a listener of the host, with tracing enabled again within {@link untraced}. */
export function tracedAgain<Result>(work: () => Result): Result {
  return context.with(context.active().deleteValue(SUPPRESS_TRACING), work);
}
