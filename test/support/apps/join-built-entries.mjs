// Uses the entries of the built core together, and prints whether each recognises the classes of the others.
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

/** Whether the app recognises an error by its class, whichever entry threw it. */
const rejections = {
  adapter: thrownBy(() => adapter.assertRoutes('latchhook', {})) instanceof core.ConfigError,
  delivery: thrownBy(() => delivery.createDeliveryContext({})) instanceof core.ConfigError,
  storage: thrownBy(() => storage.boundedInteger('size', -1, 1, [0])) instanceof core.ConfigError,
};

/** Whether CommonJS gets the same modules as ES modules, without a second copy. */
const required = {
  core: require('@latchhook/core') === core,
  adapter: require('@latchhook/core/adapter') === adapter,
  delivery: require('@latchhook/core/delivery') === delivery,
  storage: require('@latchhook/core/storage') === storage,
};

// A worker warns of a storage in memory, which it recognises by a class of another entry.
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
