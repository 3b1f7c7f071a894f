// Uses the entries of the built core together, and prints what each takes for its own of what another has made.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import * as core from '@latchhook/core';
import * as adapter from '@latchhook/core/adapter';
import * as delivery from '@latchhook/core/delivery';
import * as storage from '@latchhook/core/storage';

const require = createRequire(import.meta.url);

function thrownBy(call) {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** Whether the app can tell a rejection by its class, whichever entry rejected. */
const rejections = {
  adapter: thrownBy(() => adapter.assertRoutes('latchhook', {})) instanceof core.ConfigError,
  delivery: thrownBy(() => delivery.createDeliveryContext({})) instanceof core.ConfigError,
  storage: thrownBy(() => storage.boundedInteger('size', -1, 1, [0])) instanceof core.ConfigError,
};

/** Whether CommonJS gets what modules import, which Node loads no second time. */
const required = {
  core: require('@latchhook/core') === core,
  adapter: require('@latchhook/core/adapter') === adapter,
  delivery: require('@latchhook/core/delivery') === delivery,
  storage: require('@latchhook/core/storage') === storage,
};

// A worker whose storage is memory is warned of it, by the class of what the other entry has made.
const warnings = [];
process.on('warning', ({ name, code }) => {
  if (name === 'LatchhookWarning') warnings.push(code);
});
delivery.createDeliveryContext({
  storage: core.memoryStorage(),
  keys: { encryption: [randomBytes(32)] },
  webhooks: {},
});
// Warnings are emitted in their own tick.
setImmediate(() => process.stdout.write(JSON.stringify({ rejections, required, warnings })));
