import { assertNames, type NamesOf } from '@latchhook/core/storage';
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
   * Default: the provider that is registered with `@opentelemetry/api` at the time of the call. If none is registered,
   * nothing is measured, even if a provider is registered later: start your SDK first.
   */
  readonly meterProvider?: MeterProvider;
  /** Default: the provider that is registered with `@opentelemetry/api`, even if it is registered later. */
  readonly tracerProvider?: TracerProvider;
}

const NAMES: NamesOf<InstrumentOptions> = { meterProvider: true, tracerProvider: true };

const SCOPE = '@latchhook/opentelemetry';

/**
 * Rejects unknown options: with a misspelt provider, everything would go to the registered one, unnoticed.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`
 */
export function assertInstrumentOptions(caller: string, options: unknown): void {
  assertNames(caller, 'options_invalid', options, NAMES);
}

export function meterOf({ meterProvider = metrics }: InstrumentOptions): Meter {
  return meterProvider.getMeter(SCOPE, VERSION);
}

export function tracerOf({ tracerProvider = trace }: InstrumentOptions): Tracer {
  return tracerProvider.getTracer(SCOPE, VERSION);
}
