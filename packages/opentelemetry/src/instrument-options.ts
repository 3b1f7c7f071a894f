import {
  type Meter,
  type MeterProvider,
  metrics,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { VERSION } from './version.ts';

/** The providers of metrics and spans. */
export interface InstrumentOptions {
  /**
   * Default: the provider that is registered with `@opentelemetry/api` at this time. If there is none, nothing is
   * measured, even if one is registered later: start your SDK first.
   */
  readonly meterProvider?: MeterProvider;
  /** Default: the provider that is registered with `@opentelemetry/api`, now or later. */
  readonly tracerProvider?: TracerProvider;
}

const SCOPE = '@latchhook/opentelemetry';

export function meterOf({ meterProvider = metrics }: InstrumentOptions): Meter {
  return meterProvider.getMeter(SCOPE, VERSION);
}

export function tracerOf({ tracerProvider = trace }: InstrumentOptions): Tracer {
  return tracerProvider.getTracer(SCOPE, VERSION);
}
