import { context, createContextKey } from '@opentelemetry/api';

/**
 * The key by which the instrumentation of `node:http` takes the route from the one who knows it: that of
 * `getRPCMetadata` in `@opentelemetry/core`. The API makes the same key for the same name.
 */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

/**
 * Gives the server span of a request our route, behind the path of the mount if the framework's instrumentation has
 * noted that. Otherwise all our routes are one, that of the mount, in the span's name and in the metrics of the server.
 */
export function nameServerRoute(route: string): void {
  const metadata = context.active().getValue(RPC_METADATA);
  if (typeof metadata !== 'object' || metadata === null) return;
  if (!('type' in metadata && metadata.type === 'http')) return;
  const mount = 'route' in metadata && typeof metadata.route === 'string' ? metadata.route : '';
  Object.assign(metadata, { route: `${mount.replace(/\/$/, '')}${route}` });
}
