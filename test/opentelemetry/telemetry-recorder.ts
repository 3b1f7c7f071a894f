import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** The predictable part of one data point of a metric. */
export interface RecordedPoint {
  readonly attributes: object;
  /** The sum of a counter, or how many values a histogram has. */
  readonly count: number;
}

interface Counted {
  readonly count: number;
  readonly buckets?: { readonly boundaries: readonly number[] };
}

/** An OpenTelemetry SDK that keeps all spans and metrics in memory. */
export interface TelemetryRecorder {
  /** Options for the instrumented parts. */
  readonly providers: {
    readonly meterProvider: MeterProvider;
    readonly tracerProvider: BasicTracerProvider;
  };
  /** The spans that have ended, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  points(metric: string): Promise<readonly RecordedPoint[]>;
  /** The bucket boundaries of a histogram. */
  boundaries(metric: string): Promise<readonly number[]>;
}

/** Starts a recorder, until the end of the test. */
export function startTelemetryRecorder(): TelemetryRecorder {
  const contextManager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contextManager);
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spanExporter)],
  });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(async () => {
    context.disable();
    await tracerProvider.shutdown();
    await meterProvider.shutdown();
  });

  async function dataPoints(name: string): Promise<readonly DataPoint<number | Counted>[]> {
    metricExporter.reset();
    await reader.forceFlush();
    return metricExporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap<DataPoint<number | Counted>>((metric) => metric.dataPoints);
  }

  return {
    providers: { meterProvider, tracerProvider },
    spans: () => spanExporter.getFinishedSpans(),
    points: async (name) => (await dataPoints(name)).map(recordedPoint),
    async boundaries(name) {
      const [point] = await dataPoints(name);
      return typeof point?.value === 'object' ? (point.value.buckets?.boundaries ?? []) : [];
    },
  };
}

function recordedPoint({ attributes, value }: DataPoint<number | Counted>): RecordedPoint {
  return { attributes, count: typeof value === 'number' ? value : value.count };
}
