import { context, createContextKey } from '@opentelemetry/api';

/**
 * The context key with which the instrumentation of `node:http` reads the route, as `getRPCMetadata` of
 * `@opentelemetry/core` does. The API returns the same key for the same name.
 */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

/**
 * Sets our route on the server span of a request, after the mount path if the framework's instrumentation has set that.
 * Without it, the span and the metrics of the server would have one route for all of ours, that of the mount.
 */
export function nameServerRoute(route: string): void {
  const metadata = context.active().getValue(RPC_METADATA);
  if (typeof metadata !== 'object' || metadata === null) return;
  if (!('type' in metadata && metadata.type === 'http')) return;
  const mount = 'route' in metadata && typeof metadata.route === 'string' ? metadata.route : '';
  Object.assign(metadata, { route: `${mount.replace(/\/$/, '')}${route}` });
}
