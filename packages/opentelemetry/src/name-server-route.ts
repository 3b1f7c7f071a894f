import { context, createContextKey } from '@opentelemetry/api';

/**
 * The context key under which the instrumentation of `node:http` keeps the route, as `getRPCMetadata` of
 * `@opentelemetry/core` does. The API returns the same key for the same name.
 */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

/**
 * Sets the route on the server span of a request, appended to the mount path if the framework's instrumentation has set
 * one. Otherwise the server's span and metrics would have the mount path as the route of all requests.
 */
export function nameServerRoute(route: string): void {
  const metadata = context.active().getValue(RPC_METADATA);
  if (typeof metadata !== 'object' || metadata === null) return;
  if (!('type' in metadata && metadata.type === 'http')) return;
  const mount = 'route' in metadata && typeof metadata.route === 'string' ? metadata.route : '';
  Object.assign(metadata, { route: `${mount.replace(/\/$/, '')}${route}` });
}
